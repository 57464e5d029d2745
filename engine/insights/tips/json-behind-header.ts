/** JSON after a syslog header. The usual JSON decoder has no `program_name`, so it is never tried on the log. */
import { fromByteString } from '../../source/byte-string.js'
import { defineTip } from '../tip.js'

export const jsonBehindHeader = defineTip<{ program: string }>({
  id: 'json-behind-header',
  applies: ({ event }) =>
    event.programName !== undefined && event.names.length === 0 && event.log.trimStart().startsWith('{') ? { program: fromByteString(event.programName) } : null,
  text: {
    'en-US': ({ program }) =>
      `The log is JSON after a syslog header. Only decoders with a <program_name> that matches "${program}" can read it; add one with <plugin_decoder>JSON_Decoder</plugin_decoder>, or send the JSON without the header.`,
    'pt-BR': ({ program }) =>
      `O log é um JSON depois de um cabeçalho syslog. Só decoders com um <program_name> que case com "${program}" podem lê-lo; crie um com <plugin_decoder>JSON_Decoder</plugin_decoder> ou envie o JSON sem o cabeçalho.`,
  },
})
