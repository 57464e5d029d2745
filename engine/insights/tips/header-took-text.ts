/** A header is cut off at fixed columns, and what it took from this line is more than a date (BEHAVIOUR.md#header-forms). */
import { fromByteString } from '../../source/byte-string.js'
import { cutText } from '../../trace/text.js'
import { HINT_TEXT } from '../hint-text.js'
import type { HeaderForm } from '../../trace/header-form.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

/** What precedes the host, or the log, when a form fits as it is meant to. `iso-fraction` has a tip of its own; the others have no fixed columns. */
const MEANT: Readonly<Partial<Record<HeaderForm, { readonly length: number; readonly text: RegExp }>>> = {
  syslog: { length: 16, text: /^\D{3,5}[ \d]\d \d\d:\d\d:\d/ },
  proftpd: { length: 24, text: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} $/ },
  iso: { length: 26, text: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d $/ },
  'iso-milliseconds': { length: 30, text: /\d\.\d{3}[+-]\d\d:\d\d $/ },
  'iso-microseconds': { length: 33, text: /\d\.\d{6}[+-]\d\d:\d\d $/ },
  'year-first': { length: 21, text: /^\d{4} \D{3} [ \d]\d \d\d:\d\d:\d\d $/ },
  'macos-unified-log': { length: 32, text: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}[+-]\d{4} $/ },
  xferlog: { length: 25, text: /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} $/ },
  snort: { length: 23, text: /^\d\d\/\d\d-\d\d:\d\d:\d\d\.\d{6} {2}$/ },
  suricata: { length: 28, text: /^\d\d\/\d\d\/\d{4}-\d\d:\d\d:\d\d\.\d{6} {2}$/ },
  apache: { length: 27, text: /^\[\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\] $/ },
}

interface Values {
  readonly form: HeaderForm
  readonly length: number
  readonly taken: string
  readonly host: string
  readonly log: string
}

function valuesOf({ event: { fullLog, hostname, log, agentId }, form }: ToldRun): Values | null {
  const meant = MEANT[form]
  if (meant === undefined) return null
  const taken = fullLog.slice(0, meant.length)
  if (meant.text.test(taken)) return null
  // The name of an agent is not from the line.
  const host = agentId === '000' ? (hostname ?? '') : ''
  return { form, length: meant.length, taken: fromByteString(taken), host: fromByteString(host), log: cutText(log, HINT_TEXT) }
}

export const headerTookText = defineTip<Values>({
  id: 'header-took-text',
  applies: valuesOf,
  about: ({ form }) => form,
  text: {
    'en-US': ({ length, taken, host, log }) =>
      `Wazuh takes the first ${length} bytes of this line, "${taken}", for the date of a header, although they are more than a date${host === '' ? '' : `, and "${host}" for the host`}. Decoders and rules get only "${log}".`,
    'pt-BR': ({ length, taken, host, log }) =>
      `O Wazuh toma os primeiros ${length} bytes desta linha, "${taken}", pela data de um cabeçalho, embora sejam mais que uma data${host === '' ? '' : `, e "${host}" pelo host`}. Decoders e regras recebem só "${log}".`,
  },
})
