/** An ISO timestamp with a fraction is cut at a fixed column unless its offset is at the expected place (BEHAVIOUR.md#header-forms). */
import { fromByteString } from '../../source/byte-string.js'
import { cutText } from '../../trace/text.js'
import { HINT_TEXT } from '../hint-text.js'
import { defineTip } from '../tip.js'

/** The form cuts at this column without examining the text. */
const CUT_AT = 32

export const isoCutWrongly = defineTip<{ timestamp: string; cut: string; rest: string }>({
  id: 'iso-cut-wrongly',
  applies: ({ event: { fullLog }, form }) => {
    const end = fullLog.indexOf(' ')
    if (form !== 'iso-fraction' || end === CUT_AT - 1 || end < 0) return null
    return { timestamp: cutText(fullLog.slice(0, end), HINT_TEXT), cut: fromByteString(fullLog.slice(0, CUT_AT)), rest: fromByteString(fullLog.slice(CUT_AT, CUT_AT + 40)) }
  },
  text: {
    'en-US': ({ timestamp, cut, rest }) =>
      `Wazuh cuts logs with a timestamp like "${timestamp}" always at column ${CUT_AT}: it takes "${cut}" as the timestamp and reads host and program from "${rest}". Timestamps with three or six digits and an offset such as +00:00 are cut correctly.`,
    'pt-BR': ({ timestamp, cut, rest }) =>
      `O Wazuh corta logs com data como "${timestamp}" sempre na coluna ${CUT_AT}: toma "${cut}" como data e lê host e programa em "${rest}". Datas com três ou seis dígitos e um deslocamento como +00:00 são cortadas corretamente.`,
  },
})
