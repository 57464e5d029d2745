/** The JSON decoder is reported, but read no JSON object: it has no fields, and Wazuh reports no error (BEHAVIOUR.md#plugin-decoders). */
import { fromByteString } from '../../source/byte-string.js'
import { cutText } from '../../trace/text.js'
import { HINT_TEXT } from '../hint-text.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values {
  /**
   * `broken`: its text begins as an object. `nothing`: it gets no text. `lost`: it gets the whole log, because its offset has no effect. `brace`: the match before
   * its text has the brace. `other`: its text begins with something else.
   */
  readonly kind: 'broken' | 'nothing' | 'lost' | 'brace' | 'other'
  readonly decoder: string
  readonly offset: string
  readonly text: string
}

function valuesOf({ event, recorder, runner }: ToldRun): Values | null {
  const { decoder, names, statics, log } = event
  const ran = recorder.decoderSteps.find(({ step, decoder: one }) => step === 'plugin' && one.plugin === 'JSON_Decoder')?.decoder
  if (decoder === null || ran === undefined || names.length > 0 || statics.some((value) => value !== undefined)) return null
  // The offset of the reported decoder counts.
  const { definition } = decoder
  const written = ran.definition.plugin?.offset ?? 'none'
  const offset = definition.plugin?.offset ?? 'none'
  const { afterParent, afterPrematch } = runner.decoders
  const from = offset === 'none' ? 0 : offset === 'after_prematch' ? afterPrematch : offset === 'after_parent' && definition.parent !== null ? afterParent : -1
  const text = from < 0 ? '' : log.slice(from).trimStart()
  const values = { decoder: fromByteString(ran.definition.name), offset: written, text: cutText(text, HINT_TEXT) }
  if (text === '') return { kind: 'nothing', ...values }
  if (text.startsWith('{')) return { kind: 'broken', ...values }
  if (written !== offset) return ran.prematch === null ? { kind: 'lost', ...values } : null
  return { kind: log.slice(0, from).trimEnd().endsWith('{') ? 'brace' : 'other', ...values }
}

export const jsonNotReadable = defineTip<Values>({
  id: 'json-not-readable',
  applies: valuesOf,
  text: {
    'en-US': ({ kind, decoder, offset, text }) => {
      const subject = `The decoder "${decoder}" reads JSON, but`
      switch (kind) {
        case 'broken':
          return `${subject} found no readable object: one mistake anywhere in it (a missing quote, a comma at the end) means no fields at all.`
        case 'nothing':
          return `${subject} gets no text: with offset="${offset}" nothing is left of the log here.`
        case 'lost':
          return `${subject} gets the log from its beginning, "${text}", which is no object: offset="${offset}" has no effect without a <prematch> beside it. Add <prematch offset="after_parent">{</prematch>, with offset="after_parent".`
        case 'brace':
          return `${subject} gets "${text}", which is no object: the <prematch> before it has taken the "{".`
        case 'other':
          return `${subject} gets "${text}", which does not begin with "{", so it sets no fields. ${offset === 'none' ? 'Without an offset it gets the log from its beginning.' : `Its offset is ${offset}.`}`
      }
    },
    'pt-BR': ({ kind, decoder, offset, text }) => {
      const subject = `O decoder "${decoder}" lê JSON, mas`
      switch (kind) {
        case 'broken':
          return `${subject} não encontrou um objeto legível: um erro em qualquer lugar (aspas faltando, vírgula no fim) significa nenhum campo.`
        case 'nothing':
          return `${subject} não recebe texto: com offset="${offset}" não sobra nada do log aqui.`
        case 'lost':
          return `${subject} recebe o log desde o início, "${text}", que não é um objeto: offset="${offset}" não tem efeito sem um <prematch> ao lado. Acrescente <prematch offset="after_parent">{</prematch>, com offset="after_parent".`
        case 'brace':
          return `${subject} recebe "${text}", que não é um objeto: o <prematch> antes dele ficou com o "{".`
        case 'other':
          return `${subject} recebe "${text}", que não começa com "{", então não preenche campos. ${offset === 'none' ? 'Sem offset, ele recebe o log desde o início.' : `O offset dele é ${offset}.`}`
      }
    },
  },
})
