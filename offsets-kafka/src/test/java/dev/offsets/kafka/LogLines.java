package dev.offsets.kafka;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** What one class has logged as a warning, or worse, since this was made. To be closed. */
final class LogLines extends AbstractAppender implements AutoCloseable {
    private final Logger logger;
    private final Level levelBefore;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    LogLines(Class<?> by) {
        super("lines", null, null, true, Property.EMPTY_ARRAY);
        logger = (Logger) LogManager.getLogger(by);
        levelBefore = logger.getLevel();
        start();
        logger.addAppender(this);
        logger.setLevel(Level.WARN);
    }

    @Override
    public void append(LogEvent event) {
        lines.add(event.getMessage().getFormattedMessage());
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void close() {
        logger.removeAppender(this);
        logger.setLevel(levelBefore);
    }
}
