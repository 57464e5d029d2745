/** Colours by meaning. Without colours each function returns the text unchanged. */
export interface Palette {
  readonly enabled: boolean
  bold(text: string): string
  dim(text: string): string
  /** An important name. */
  accent(text: string): string
  good(text: string): string
  warning(text: string): string
  error(text: string): string
  /** The most conspicuous style: critical alerts. */
  alarm(text: string): string
  info(text: string): string
}

const CODES = { bold: '1', dim: '2', accent: '36', good: '32', warning: '33', error: '31', alarm: '1;37;41', info: '34' } as const

export function createPalette(enabled: boolean): Palette {
  const paint =
    (code: string) =>
    (text: string): string =>
      enabled && text !== '' ? `\x1b[${code}m${text}\x1b[0m` : text
  const painters = Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, paint(code)])) as Record<keyof typeof CODES, (text: string) => string>
  return { enabled, ...painters }
}

/** Whether to use colours: the option, then NO_COLOR and FORCE_COLOR, then whether the stream is a terminal. */
export function wantsColor(choice: boolean | undefined, env: Readonly<Record<string, string | undefined>>, isTTY: boolean): boolean {
  if (choice !== undefined) return choice
  if ((env.NO_COLOR ?? '') !== '') return false
  if ((env.FORCE_COLOR ?? '') !== '') return env.FORCE_COLOR !== '0'
  return isTTY && env.TERM !== 'dumb'
}

/** Colours a rule's level by the severities of Wazuh's dashboard: 0 silent, to 6 low, to 11 medium, to 14 high, then critical. */
export function paintLevel(paint: Palette, level: number, text: string): string {
  if (level === 0) return paint.dim(text)
  if (level <= 6) return paint.good(text)
  if (level <= 11) return paint.warning(text)
  if (level <= 14) return paint.error(text)
  return paint.alarm(text)
}
