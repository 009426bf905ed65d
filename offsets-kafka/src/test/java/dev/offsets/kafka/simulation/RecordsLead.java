package dev.offsets.kafka.simulation;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/** The client's metric of how far a position is from where the log started at the last fetch. */
record RecordsLead(Assigned one) implements Metric {
    @Override
    public MetricName metricName() {
        Map<String, String> tags = new LinkedHashMap<>();
        tags.put("topic", one.topicPartition.topic());
        tags.put("partition", String.valueOf(one.topicPartition.partition()));
        return new MetricName("records-lead", "consumer-fetch-manager-metrics", "", tags);
    }

    @Override
    public Object metricValue() {
        return (double) (one.position - one.logStart);
    }
}
