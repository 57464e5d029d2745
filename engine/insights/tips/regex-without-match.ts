/** A decoder was selected, but its regex does not match, so its fields are missing. */
import { fromByteString } from '../../source/byte-string.js'
import { cutText } from '../../trace/text.js'
import { findStop } from '../stopped-at.js'
import { defineTip } from '../tip.js'

export const regexWithoutMatch = defineTip<{ decoder: string; regex: string; order: string; matched: string }>({
  id: 'regex-without-match',
  applies: ({ event, recorder }) => {
    const regexes = recorder.decoderSteps.filter(({ step }) => step === 'regex')
    // In a family some regexes are expected to fail.
    if (regexes.length === 0 || regexes.some(({ matched }) => matched)) return null
    const { decoder, from } = regexes[0]
    const { regex, definition } = decoder
    const stop = regex === null ? null : findStop(regex.dialect, regex.pattern, event.log, from)
    return {
      decoder: fromByteString(definition.name),
      regex: cutText(regex?.pattern ?? ''),
      order: (definition.order ?? []).map(({ name }) => fromByteString(name)).join(', '),
      matched: stop?.matched_part ?? '',
    }
  },
  text: {
    'en-US': ({ decoder, regex, order, matched }) =>
      `The decoder "${decoder}" was chosen, but its <regex> "${regex}" does not match, so its fields (${order}) are missing.${matched === '' ? '' : ` It matches up to "${matched}".`}`,
    'pt-BR': ({ decoder, regex, order, matched }) =>
      `O decoder "${decoder}" foi escolhido, mas o seu <regex> "${regex}" não casa, então os campos dele (${order}) faltam.${matched === '' ? '' : ` Ele casa até "${matched}".`}`,
  },
})
