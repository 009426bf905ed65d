package adoption;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The application's work on a record. */
interface RecordHandler {
    void handle(ConsumerRecord<String, String> record);
}
