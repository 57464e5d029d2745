/** The JSON decoder is reported, but the log is not a JSON object: it has no fields, and Wazuh reports no error. */
import { fromByteString } from '../../source/byte-string.js'
import { defineTip } from '../tip.js'

export const jsonNotReadable = defineTip<{ decoder: string }>({
  id: 'json-not-readable',
  applies: ({ event: { decoder, names, statics }, recorder }) => {
    const asked = recorder.decoderSteps.some(({ step, decoder: ran }) => step === 'plugin' && ran.definition.plugin?.name === 'JSON_Decoder')
    if (decoder === null || !asked || names.length > 0 || statics.some((value) => value !== undefined)) return null
    return { decoder: fromByteString(decoder.name) }
  },
  text: {
    'en-US': ({ decoder }) =>
      `The decoder "${decoder}" reads JSON, but found no readable object: one mistake anywhere in it (a missing quote, a comma at the end) means no fields at all. Check the JSON, and the decoder's offset.`,
    'pt-BR': ({ decoder }) =>
      `O decoder "${decoder}" lê JSON, mas não encontrou um objeto legível: um erro em qualquer lugar (aspas faltando, vírgula no fim) significa nenhum campo. Confira o JSON e o offset do decoder.`,
  },
})
