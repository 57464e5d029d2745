/** No decoder matches, because the start of the log is not a known header, and so there is no program name. */
import { fromByteString } from '../../source/byte-string.js'
import { programLike } from '../near-decoder.js'
import { defineTip } from '../tip.js'

/** Starts for which another tip exists. */
const OTHER_TIP = /^(?:<\d{1,3}>|\d{4}-\d\d-\d\dT)/

export const headerWithoutProgram = defineTip<{ program: string }>({
  id: 'header-without-program',
  applies: ({ event, form, near }) => {
    if (near?.isNamed === true || form !== 'none' || event.decoder !== null || event.programName !== undefined || OTHER_TIP.test(event.fullLog)) return null
    const program = programLike(event.log)
    return program === undefined ? null : { program: fromByteString(program) }
  },
  text: {
    'en-US': ({ program }) =>
      `The start of the log is no header that Wazuh recognises, so no program name is known and only decoders without <program_name> were tried. "${program}" looks like the program: the classic form is "Nov 17 08:15:30 host ${program}[123]: message".`,
    'pt-BR': ({ program }) =>
      `O início do log não é um cabeçalho que o Wazuh reconhece, então não há nome de programa e só decoders sem <program_name> foram tentados. "${program}" parece ser o programa: a forma clássica é "Nov 17 08:15:30 host ${program}[123]: mensagem".`,
  },
})
