/** The signals that end the process in order. */
const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Resolves with the first signal. The handlers are then removed, so a second signal ends the process at once. */
export function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      for (const name of SIGNALS) process.off(name, onSignal)
      resolve(signal)
    }
    for (const name of SIGNALS) process.on(name, onSignal)
  })
}
