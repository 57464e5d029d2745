/** JSON after a syslog header. The usual JSON decoder has no `program_name`, so it is never tried on the log. */
import { fromByteString } from '../../source/byte-string.js'
import type { CompiledDecoder } from '../../event/decoder.js'
import { namesProgram } from '../near-decoder.js'
import { defineTip } from '../tip.js'

/** Whether the decoder that the tip would propose exists. */
function readsJson({ plugin, children }: CompiledDecoder): boolean {
  return plugin === 'JSON_Decoder' || children.some((child) => child.plugin === 'JSON_Decoder')
}

export const jsonBehindHeader = defineTip<{ program: string }>({
  id: 'json-behind-header',
  applies: ({ event: { programName, names, log }, near, runner }) => {
    if (programName === undefined || names.length > 0 || near?.isNamed === true || !log.trimStart().startsWith('{')) return null
    return runner.ruleset.decoders.programRoots.some((root) => namesProgram(root, programName) && readsJson(root)) ? null : { program: fromByteString(programName) }
  },
  text: {
    'en-US': ({ program }) =>
      `The log is JSON after a syslog header. Only decoders with a <program_name> that matches "${program}" can read it; add one with <plugin_decoder>JSON_Decoder</plugin_decoder>, or send the JSON without the header.`,
    'pt-BR': ({ program }) =>
      `O log é um JSON depois de um cabeçalho syslog. Só decoders com um <program_name> que case com "${program}" podem lê-lo; crie um com <plugin_decoder>JSON_Decoder</plugin_decoder> ou envie o JSON sem o cabeçalho.`,
  },
})
