/** Preloaded into a service that a test kills: calls that the test holds back must not end before the kill because the machine is busy. */
const LONG_MS = 30_000
const TIMES = 10

const longer = (ms: number): number => (ms >= LONG_MS ? TIMES * ms : ms)
const { setTimeout: wait } = globalThis
const { timeout } = AbortSignal

globalThis.setTimeout = Object.assign((work: () => void, ms = 0, ...rest: []) => wait(work, longer(ms), ...rest), wait) as typeof wait
AbortSignal.timeout = (ms) => timeout.call(AbortSignal, longer(ms))
