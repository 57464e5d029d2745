import { entryOf } from './codes.js'
import { type Diagnostic, effectOf } from './diagnostic.js'
import { type Locale, LOCALES, type ParamValue } from './entry.js'
import { translatePhrase } from './phrases.js'

export { LOCALES, type Locale, type Localized } from './entry.js'

const ENGLISH = {
  severity: { error: 'error', warning: 'warning', info: 'info', success: 'success' },
  didYouMean: (name: string) => `Did you mean "${name}"?`,
  /** What Wazuh does about an error with this effect; appended to the hint. */
  effect: {
    refuse: 'Wazuh refuses to load the whole ruleset until this is corrected.',
    drop: 'Wazuh silently drops this rule: it loads everything else, and the detection is missing.',
    ignore: 'Wazuh logs an error and goes on without this part; wazuh-logtest refuses to start a session.',
    crash: 'A manager that crashes or hangs analyses no event at all; this service answers as if it did neither.',
    none: '',
  },
  /** The same for an error that Wazuh does not reach yet. */
  unread: {
    refuse: 'Wazuh leaves this rule out before it reads this. Once it keeps the rule, it refuses to load the whole ruleset.',
    drop: 'Wazuh already leaves this rule out for another reason.',
    ignore: 'Wazuh leaves this rule out before it reads this.',
    crash: 'Wazuh leaves this rule out before it reads this. Once it keeps the rule, it crashes or hangs.',
    none: '',
  },
  rule: (id: string) => `rule ${id}`,
  decoder: (name: string) => `decoder "${name}"`,
  /** The rule without its article. */
  ruleAlone: (id: string) => `rule ${id}`,
  causeDropped: (subject: string, place: string) => `This is because ${subject} was dropped (${place}).`,
  cause: (title: string, place: string) => `This follows from: ${title} (${place}).`,
  /** Added to a message that stands for several diagnostics. */
  more: (count: number) => `And ${count} more of this kind.`,
  hint: 'hint',
  related: 'see also',
}

/** Phrases around the texts of the registry. */
export const WORDS: Record<Locale, typeof ENGLISH> = {
  'en-US': ENGLISH,
  'pt-BR': {
    severity: { error: 'erro', warning: 'aviso', info: 'informação', success: 'sucesso' },
    didYouMean: (name) => `Você quis dizer "${name}"?`,
    effect: {
      refuse: 'O Wazuh se recusa a carregar o conjunto de regras inteiro enquanto isto não for corrigido.',
      drop: 'O Wazuh descarta esta regra em silêncio: carrega todo o resto, e a detecção fica faltando.',
      ignore: 'O Wazuh registra um erro e segue sem esta parte; o wazuh-logtest se recusa a iniciar uma sessão.',
      crash: 'Um manager que quebra ou trava não analisa mais nenhum evento; este serviço responde como se isso não acontecesse.',
      none: '',
    },
    unread: {
      refuse: 'O Wazuh descarta esta regra antes de ler isto. Quando passar a mantê-la, vai se recusar a carregar o conjunto de regras inteiro.',
      drop: 'O Wazuh já descarta esta regra por outro motivo.',
      ignore: 'O Wazuh descarta esta regra antes de ler isto.',
      crash: 'O Wazuh descarta esta regra antes de ler isto. Quando passar a mantê-la, vai quebrar ou travar.',
      none: '',
    },
    rule: (id) => `a regra ${id}`,
    decoder: (name) => `o decoder "${name}"`,
    ruleAlone: (id) => `regra ${id}`,
    causeDropped: (subject, place) => `Isso ocorre porque ${subject} foi descartada (${place}).`,
    cause: (title, place) => `Isso decorre de: ${title} (${place}).`,
    more: (count) => `E mais ${count} deste tipo.`,
    hint: 'dica',
    related: 'veja também',
  },
}

/** Returns the texts of a diagnostic: what is wrong, and what to do. */
export function describeDiagnostic(diagnostic: Diagnostic, locale: Locale): { message: string; hint: string } {
  const entry = entryOf(diagnostic.code)
  const texts = entry.texts[locale]
  const words = WORDS[locale]
  const message = [fill(texts.message, diagnostic, locale)]
  if (diagnostic.suggestion !== null) message.push(words.didYouMean(diagnostic.suggestion))
  if (diagnostic.cause !== null) message.push(describeCause(diagnostic.cause, locale))
  if (diagnostic.more > 0) message.push(words.more(diagnostic.more))
  const hint = [fill(texts.hint, diagnostic, locale)]
  const effect = diagnostic.unread ? words.unread[entry.effect] : words.effect[effectOf(diagnostic)]
  if (diagnostic.severity === 'error' && effect !== '') hint.push(effect)
  return { message: message.join(' '), hint: hint.join(' ') }
}

/** Returns a presented diagnostic, in the language that it has, with a smaller number of further ones. */
export function withMore<T extends { readonly message: string; readonly more: number }>(record: T, more: number): T {
  if (more === record.more) return record
  const suffixOf = (locale: Locale, count: number): string => (count === 0 ? '' : ` ${WORDS[locale].more(count)}`)
  const locale = LOCALES.find((candidate) => record.message.endsWith(suffixOf(candidate, record.more)))
  if (locale === undefined) return { ...record, more }
  return { ...record, more, message: record.message.slice(0, record.message.length - suffixOf(locale, record.more).length) + suffixOf(locale, more) }
}

function describeCause(cause: Diagnostic, locale: Locale): string {
  const words = WORDS[locale]
  const place = placeOf(cause)
  const { id, decoder } = cause.params
  if (effectOf(cause) === 'drop' && id !== undefined) return words.causeDropped(words.rule(textOf(id, locale)), place)
  return words.cause(entryOf(cause.code).texts[locale].title + (decoder === undefined ? '' : `, ${words.decoder(textOf(decoder, locale))}`), place)
}

/** Returns `file:line`, or the file alone. */
function placeOf({ filename, span }: Diagnostic): string {
  return span === null ? filename : `${filename}:${span.line}`
}

/** Placeholder for the rule or the decoder that a diagnostic is about; no parameter has its name. */
const OWNER = 'owner'

/** Replaces in one pass, so that braces inside a value are kept. A missing value is shown as "?". */
function fill(text: string, { params }: Diagnostic, locale: Locale): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === OWNER) return params.id === undefined ? `decoder "${printable(String(params.decoder ?? '?'))}"` : WORDS[locale].ruleAlone(textOf(params.id, locale))
    return printable(textOf(Object.hasOwn(params, name) ? params[name] : '?', locale))
  })
}

function textOf(value: ParamValue, locale: Locale): string {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? translatePhrase(value, locale) : value[locale]
}

/** Escapes white space and control characters, so that a message stays on one line. */
function printable(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
  return value.replace(/[\x00-\x1f\x7f]/g, (char) => SHOWN[char] ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

const SHOWN: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
