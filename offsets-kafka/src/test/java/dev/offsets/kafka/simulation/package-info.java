/**
 * A simulated group, coordinator and log with the real library in it. One seed decides everything that happens: which
 * commits fail and how, who joins, stalls and crashes, what becomes of the logs, how long work takes, what the users do
 * beside polling. Time is virtual, and nothing is left to threads: {@code VirtualTime} runs what is due while somebody
 * waits.
 *
 * <p>{@code SimulationTest} runs a thousand seeds; {@code -Dsimulation.seeds=1000000} makes it a soak,
 * {@code -Dsimulation.seed=N} chooses the first.
 *
 * <p><b>The parts.</b> {@code SimulatedUser} is a program with a loop, {@code UserActions} and {@code Workers} what else it
 * does; in some runs a {@code RecordProcessor} works for it, with a handler, {@code ProcessorWork}, and an executor that the
 * run turns. It calls a {@code TrackedConsumer}, unmodified, which calls a {@code SimulatedClient} through Kafka's interface.
 * The client has a {@code Membership} of the group, {@code Positions} in the logs and a {@code CommitChannel} to the
 * {@code SimulatedGroup}. Whatever crosses from one part to another is told to the {@code Checker}s, which keep a ledger of
 * their own ({@code Views}) and end the run when a promise is broken. After a time of trouble everything is calm for a
 * while; then every record must have been finished, and the end of each log be stored.
 *
 * <p><b>Is it like Kafka?</b> A {@code Script} is a short story of one to three clients. {@code FidelityIT} plays each under
 * each protocol it makes sense for, in a {@code SimulatedCluster} and in a {@code RealCluster}, with clients alone and with
 * the library around them, and compares what can be seen: the two {@code Transcript}s must be equal. What they leave open
 * is listed at {@code Script}. {@code FidelityTest} plays them with {@code Unfaithful} clients, each of which must show.
 *
 * <p><b>Reading a failure.</b> The report names the checker and what it saw, the command to run the seed again, and the
 * trace of the simplest scenario that still fails alike: virtual time, who (user 2 in its third life is
 * {@code user2.3}), and what. Offsets are followed by their leader epoch: {@code 17/2}, or {@code 17/-} without one.
 * Lines without a name are the logs' and the group's. Read it from the end: what was wrong about the last line, and
 * which line made it so.
 *
 * <p><b>Adding something.</b> What the client or the broker does goes where it happens, with a {@code Feature} if it is
 * trouble, so that it can be left out when a failure is shrunk, and a {@code Script} that shows it. What must hold is a {@code Checker}: add it to {@code
 * Checkers}, and to {@code KnownWrong} a way to be wrong that it catches. When the run is at fault and not the library, the
 * record that nobody can be blamed for gets an excuse ({@code Entry.excuse}): as few as possible.
 */
package dev.offsets.kafka.simulation;
