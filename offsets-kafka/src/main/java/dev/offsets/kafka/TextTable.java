package dev.offsets.kafka;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;

/** Rows in aligned columns, for people. */
final class TextTable {
    static final String NOT_KNOWN = "-";
    private static final String GAP = "  ";

    /** @param always whether it is there also where nothing is known for any row */
    record Column<R>(String name, boolean alignedLeft, boolean always, Function<R, String> value) {}

    private TextTable() {}

    static String orDash(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : NOT_KNOWN;
    }

    /** The names of the columns, and a line for each row. */
    static <R> List<String> lines(List<Column<R>> allColumns, List<R> rows) {
        List<Column<R>> columns = allColumns.stream()
                .filter(column -> column.always
                        || rows.stream()
                                .anyMatch(row -> !column.value.apply(row).equals(NOT_KNOWN)))
                .toList();
        List<List<String>> cells = new ArrayList<>();
        cells.add(columns.stream().map(Column::name).toList());
        rows.forEach(row -> cells.add(
                columns.stream().map(column -> column.value.apply(row)).toList()));
        int[] widths = new int[columns.size()];
        for (List<String> row : cells) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return cells.stream().map(row -> line(row, columns, widths)).toList();
    }

    private static <R> String line(List<String> row, List<Column<R>> columns, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String padding = " ".repeat(widths[i] - row.get(i).length());
            line.append(i == 0 ? "" : GAP);
            line.append(columns.get(i).alignedLeft ? row.get(i) + padding : padding + row.get(i));
        }
        return line.toString().stripTrailing();
    }
}
