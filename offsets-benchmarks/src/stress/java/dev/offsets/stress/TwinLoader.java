package dev.offsets.stress;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/** Loads the tracker and its tests anew, with a twin's classes in place of the real ones. */
final class TwinLoader extends URLClassLoader {
    private static final String LIBRARY = "dev.offsets.";

    private TwinLoader(URL[] classPath) {
        super(classPath, TwinLoader.class.getClassLoader());
    }

    /**
     * @param sources the directory of the library's sources
     * @param directory where the twin's source and classes may be put
     */
    static TwinLoader of(Twin twin, Path sources, Path directory) throws IOException {
        List<URL> classPath = new ArrayList<>();
        classPath.add(compile(twin, sources, directory).toUri().toURL());
        for (String entry : System.getProperty("java.class.path").split(System.getProperty("path.separator"))) {
            classPath.add(Path.of(entry).toUri().toURL());
        }
        return new TwinLoader(classPath.toArray(URL[]::new));
    }

    private static Path compile(Twin twin, Path sources, Path directory) throws IOException {
        Path classes = Files.createTempDirectory(directory, "twin");
        Path file = classes.resolve(twin.file());
        Files.writeString(
                file,
                twin.breakSource(Files.readString(sources.resolve("dev/offsets").resolve(twin.file()))));
        int result = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        file.toString());
        if (result != 0) {
            throw new IllegalStateException("the twin for " + twin.test() + " does not compile: " + twin.why());
        }
        return classes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(LIBRARY)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }
}
