/** The header has a program name, which excludes all decoders without `program_name`. */
import { fromByteString } from '../../source/byte-string.js'
import { cutText } from '../../trace/text.js'
import { HINT_TEXT } from '../hint-text.js'
import { namesProgram } from '../near-decoder.js'
import { defineTip } from '../tip.js'

export const programWithoutDecoder = defineTip<{ program: string; count: number; log: string }>({
  id: 'program-without-decoder',
  applies: ({ event, outcome, recorder, near }) => {
    const { decoder, programName } = event
    if (decoder !== null || programName === undefined) return null
    // An own rule that answers needs no decoder, and nor do own rules that name none; a hint that names own content says more.
    if (near !== null && (near.isNamed || !near.own.usesDecoders || (outcome.rule !== null && near.own.isOwn(outcome.rule)))) return null
    // A decoder with an empty <program_name> is tried for any program.
    const count = recorder.decoderSteps.filter(({ step, decoder: tried }) => step === 'prematch' && namesProgram(tried, programName)).length
    return { program: fromByteString(programName), count, log: cutText(event.log, HINT_TEXT) }
  },
  text: {
    'en-US': ({ program, count, log }) =>
      count === 0
        ? `The header gave the program name "${program}", so only decoders with a <program_name> that matches it can be chosen, and there is none. Decoders without <program_name> are not tried for this event.`
        : `The header gave the program name "${program}". Decoders with a matching <program_name>: ${count}; the <prematch> of none of them matches "${log}". Decoders without <program_name> are not tried for this event.`,
    'pt-BR': ({ program, count, log }) =>
      count === 0
        ? `O cabeçalho deu o nome de programa "${program}", então só decoders com um <program_name> que case com ele podem ser escolhidos, e não há nenhum. Decoders sem <program_name> não são tentados para este evento.`
        : `O cabeçalho deu o nome de programa "${program}". Decoders com <program_name> correspondente: ${count}; o <prematch> de nenhum deles casa com "${log}". Decoders sem <program_name> não são tentados para este evento.`,
  },
})
