/** An ISO timestamp that no header form fits (BEHAVIOUR.md#header-forms). */
import { cutText } from '../../trace/text.js'
import { HINT_TEXT } from '../hint-text.js'
import { defineTip } from '../tip.js'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*/
/** All ISO forms need a log of at least this many bytes. */
const MIN_LENGTH = 33

export const isoNotRecognised = defineTip<{ timestamp: string; short: number; length: number }>({
  id: 'iso-not-recognised',
  applies: ({ event: { fullLog }, form }) => {
    const timestamp = form === 'none' ? ISO.exec(fullLog)?.[0] : undefined
    return timestamp === undefined ? null : { timestamp: cutText(timestamp, HINT_TEXT), short: fullLog.length < MIN_LENGTH ? 1 : 0, length: fullLog.length }
  },
  text: {
    'en-US': ({ timestamp, short, length }) =>
      `Wazuh does not recognise the timestamp "${timestamp}", so host and program name are not read either: ${
        short === 1
          ? `with an ISO timestamp the log needs at least ${MIN_LENGTH} bytes, and this one has ${length}`
          : 'without a fraction of a second it must end in an offset such as +00:00; "Z" is not known'
      }.`,
    'pt-BR': ({ timestamp, short, length }) =>
      `O Wazuh não reconhece a data "${timestamp}", então host e nome de programa também não são lidos: ${
        short === 1
          ? `com data ISO o log precisa de pelo menos ${MIN_LENGTH} bytes, e este tem ${length}`
          : 'sem fração de segundo, ela precisa terminar em um deslocamento como +00:00; "Z" não é conhecido'
      }.`,
  },
})
