/** An own decoder that nearly got the event. */
import { fromByteString } from '../../source/byte-string.js'
import { cutText } from '../../trace/text.js'
import type { NearDecoder } from '../near-decoder.js'
import { HINT_TEXT } from '../hint-text.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface Values extends Record<string, string | number> {
  readonly kind: NearDecoder['kind'] | 'unnamed-header' | 'overtaken-child' | 'program-tag' | 'unlike'
  readonly decoder: string
  readonly prematch: string
  readonly program: string
  /** The pattern of `<program_name>`. */
  readonly name: string
  readonly log: string
  readonly winner: string
  readonly file: string
  readonly matched: string
  readonly at: number
  readonly expected: string
}

function valuesOf({ event, near }: ToldRun): Values | null {
  const found = near?.decoder ?? null
  if (found === null) return null
  const { decoder } = found
  const { prematch, programName, definition } = decoder
  const base = {
    decoder: fromByteString(definition.name),
    prematch: cutText(prematch?.pattern ?? '', HINT_TEXT),
    program: fromByteString(event.programName ?? ''),
    name: cutText(programName?.pattern ?? '', HINT_TEXT),
    log: cutText(event.log, HINT_TEXT),
    winner: '',
    file: '',
    matched: '',
    at: 0,
    expected: '',
  }
  switch (found.kind) {
    case 'overtaken': {
      const { name, source, parent } = found.winner.definition
      return { ...base, kind: parent === null ? 'overtaken' : 'overtaken-child', winner: fromByteString(name), file: source.filename }
    }
    case 'header':
      return { ...base, kind: 'header' }
    case 'unnamed':
      return { ...base, kind: found.isOfHeader ? 'unnamed-header' : 'unnamed' }
    case 'no-program':
      return { ...base, kind: 'no-program', program: fromByteString(found.program) }
    case 'program':
      return { ...base, kind: found.isOfTag ? 'program-tag' : 'program' }
    case 'stopped': {
      const { stop, from } = found
      if (stop === null) return { ...base, kind: 'unlike', log: cutText(event.log.slice(from), HINT_TEXT) }
      return { ...base, kind: 'stopped', matched: stop.matched_part, at: stop.text_offset, expected: stop.expected }
    }
  }
}

export const ownDecoder = defineTip<Values>({
  id: 'own-decoder',
  isOfOwnContent: true,
  applies: valuesOf,
  about: ({ kind, decoder, winner }) => `${kind} ${decoder} ${winner}`,
  text: {
    'en-US': ({ kind, decoder, prematch, program, name, log, winner, file, matched, at, expected }) => {
      const subject = `Your decoder "${decoder}"`
      switch (kind) {
        case 'overtaken':
          return `${subject} matches this log too, but "${winner}" (${file}) is loaded before it, and the first root decoder that matches gets the event.`
        case 'overtaken-child':
          return `${subject} matches this log too, but its sibling "${winner}" (${file}) is loaded before it, and the first child that matches gets the event.`
        case 'header':
          return `${subject} does not match: its <prematch> "${prematch}" matches the line only with the header, which Wazuh removes first. Decoders get "${log}".`
        case 'unnamed':
          return `${subject} is not tried: it has no <program_name>, and the header gave the program name "${program}".`
        case 'unnamed-header':
          return `${subject} is not tried: it has no <program_name>, and the header gave the program name "${program}". Its <prematch> "${prematch}" would not match either, because decoders get the log without the header: "${log}".`
        case 'no-program':
          return `${subject} needs a program name, and Wazuh reads none here, because the line does not begin with a header that it recognises. The classic form is "Nov 17 08:15:30 host ${program}[123]: message".`
        case 'program':
          return `${subject} is not tried: its <program_name> "${name}" does not match "${program}", the program name that the header gave.`
        case 'program-tag':
          return `${subject} is not tried: its <program_name> "${name}" does not match "${program}", the program name that the header gave: a program name ends before "[" and ":".`
        case 'stopped':
          return `${subject} comes nearest: its <prematch> "${prematch}" matches up to "${matched}" (character ${at} of "${log}"); then "${expected}" does not fit.`
        default:
          return `${subject} comes nearest, but its <prematch> "${prematch}" does not match "${log}".`
      }
    },
    'pt-BR': ({ kind, decoder, prematch, program, name, log, winner, file, matched, at, expected }) => {
      const subject = `O seu decoder "${decoder}"`
      switch (kind) {
        case 'overtaken':
          return `${subject} também casa com este log, mas "${winner}" (${file}) é carregado antes dele, e o primeiro decoder raiz que casa fica com o evento.`
        case 'overtaken-child':
          return `${subject} também casa com este log, mas o irmão "${winner}" (${file}) é carregado antes dele, e o primeiro filho que casa fica com o evento.`
        case 'header':
          return `${subject} não casa: o <prematch> "${prematch}" só casa com a linha junto com o cabeçalho, que o Wazuh retira antes. Os decoders recebem "${log}".`
        case 'unnamed':
          return `${subject} não é tentado: ele não tem <program_name>, e o cabeçalho deu o nome de programa "${program}".`
        case 'unnamed-header':
          return `${subject} não é tentado: ele não tem <program_name>, e o cabeçalho deu o nome de programa "${program}". O <prematch> "${prematch}" também não casaria, porque os decoders recebem o log sem o cabeçalho: "${log}".`
        case 'no-program':
          return `${subject} precisa de um nome de programa, e aqui o Wazuh não lê nenhum, porque a linha não começa com um cabeçalho que ele reconhece. A forma clássica é "Nov 17 08:15:30 host ${program}[123]: mensagem".`
        case 'program':
          return `${subject} não é tentado: o <program_name> "${name}" não casa com "${program}", o nome de programa que o cabeçalho deu.`
        case 'program-tag':
          return `${subject} não é tentado: o <program_name> "${name}" não casa com "${program}", o nome de programa que o cabeçalho deu: um nome de programa termina antes de "[" e de ":".`
        case 'stopped':
          return `${subject} chega mais perto: o <prematch> "${prematch}" casa até "${matched}" (caractere ${at} de "${log}"); depois disso, "${expected}" não serve.`
        default:
          return `${subject} chega mais perto, mas o <prematch> "${prematch}" não casa com "${log}".`
      }
    },
  },
})
