/**
 * macOS asl entries (BEHAVIOUR.md#macos-asl):
 *
 *     [Time 2020.03.09 08:15:30 UTC] [Facility user] [Sender appd] [Message login refused] [Host srv1]
 *                              ^ scanning starts here
 */
export interface AslOutcome {
  readonly hostname: string | undefined
  readonly programName: string | undefined
  readonly log: string
}

/** @param from column of the blank before `UTC]` */
export function readAsl(text: string, from: number): AslOutcome {
  let programName: string | undefined
  let hostname: string | undefined
  let logStart = from
  let messageSeen = false
  /** Offsets of the used `]`: the reference engine ends the text there. */
  const cuts: number[] = []
  let at = text.indexOf('[', from)
  while (at >= 0) {
    const value = at + 1
    const senderHere = text.startsWith('Sender ', value) && programName === undefined
    const messageHere = !senderHere && !messageSeen && text.startsWith('Message ', value)
    const hostHere = !senderHere && !messageHere && text.startsWith('Host ', value)
    let resume = value
    if (senderHere || messageHere || hostHere) {
      const start = text.indexOf(' ', value) + 1
      const close = text.indexOf(']', start)
      if (messageHere) {
        messageSeen = true
        logStart = start
      }
      if (close < 0) break
      cuts.push(close)
      if (senderHere) programName = text.slice(start, close)
      if (hostHere) {
        hostname = text.slice(start, close)
        break
      }
      resume = close + 1
    }
    at = text.indexOf('[', resume)
  }
  const cut = cuts.filter((place) => place >= logStart).reduce((least, place) => Math.min(least, place), text.length)
  return { hostname, programName, log: text.slice(logStart, cut) }
}
