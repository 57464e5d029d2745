/** A decoder was selected, but its regex does not match, so its fields are missing. */
import { fromByteString } from '../../source/byte-string.js'
import { cutText } from '../../trace/text.js'
import { HeaderTexts } from '../header-text.js'
import { findStop } from '../stopped-at.js'
import { defineTip } from '../tip.js'

interface Values {
  readonly decoder: string
  readonly regex: string
  readonly order: string
  readonly matched: string
  /** Whether it matches the line with its header. */
  readonly isOfHeader: boolean
}

export const regexWithoutMatch = defineTip<Values>({
  id: 'regex-without-match',
  applies: ({ event, recorder }) => {
    const regexes = recorder.decoderSteps.filter(({ step }) => step === 'regex')
    // In a family some regexes are expected to fail.
    if (regexes.length === 0 || regexes.some(({ matched }) => matched)) return null
    const { decoder, from } = regexes[0]
    const { regex, definition } = decoder
    const isOfHeader = regex !== null && from === 0 && new HeaderTexts(event).match(regex)
    const stop = regex === null || isOfHeader ? null : findStop(regex.dialect, regex.pattern, event.log, from)
    return {
      decoder: fromByteString(definition.name),
      regex: cutText(regex?.pattern ?? ''),
      order: (definition.order ?? []).map(({ name }) => fromByteString(name)).join(', '),
      matched: stop?.matched_part ?? '',
      isOfHeader,
    }
  },
  text: {
    'en-US': ({ decoder, regex, order, matched, isOfHeader }) =>
      `The decoder "${decoder}" was chosen, but its <regex> "${regex}" does not match, so its fields (${order}) are missing.${matched === '' ? '' : ` It matches up to "${matched}".`}${isOfHeader ? ' It matches the line only with the header, which Wazuh removes first.' : ''}`,
    'pt-BR': ({ decoder, regex, order, matched, isOfHeader }) =>
      `O decoder "${decoder}" foi escolhido, mas o seu <regex> "${regex}" não casa, então os campos dele (${order}) faltam.${matched === '' ? '' : ` Ele casa até "${matched}".`}${isOfHeader ? ' Ele só casa com a linha junto com o cabeçalho, que o Wazuh retira antes.' : ''}`,
  },
})
