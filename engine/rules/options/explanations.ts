/** Sentences that several options share when they fail. */
import type { Localized } from '../../diagnostics/text.js'
import type { FailedTest } from './option.js'

type Explain = Localized<(failed: FailedTest) => string>

/** A tag with the attribute that names its field, as rules write it. */
function writtenName(tag: string, field: string | null): string {
  return field === null ? tag : `${tag} name="${field}"`
}

/** For a condition on a text of the event. */
export const TEXT_FAILS: Explain = {
  'en-US': ({ tag, field, pattern, negate, text, stopped }) => {
    if (text === null) return `<${tag}> tests the field "${field ?? tag}", which the event does not have.`
    const name = writtenName(tag, field)
    if (negate) return `<${name} negate="yes"> "${pattern}" matches "${text}", so it fails.`
    const differs = `<${name}> "${pattern}" does not match "${text}".`
    return stopped === null ? differs : `${differs} It matches up to "${stopped.matched}" (character ${stopped.at}); then "${stopped.expected}" does not fit.`
  },
  'pt-BR': ({ tag, field, pattern, negate, text, stopped }) => {
    if (text === null) return `<${tag}> testa o campo "${field ?? tag}", que o evento não tem.`
    const name = writtenName(tag, field)
    if (negate) return `<${name} negate="yes"> "${pattern}" casa com "${text}", por isso falha.`
    const differs = `<${name}> "${pattern}" não casa com "${text}".`
    return stopped === null ? differs : `${differs} Casa até "${stopped.matched}" (caractere ${stopped.at}); depois disso, "${stopped.expected}" não serve.`
  },
}

/** For a condition on the whole event, or on its time. */
export const EVENT_FAILS: Explain = {
  'en-US': ({ tag, pattern }) => `The condition ${tag} (${pattern}) does not hold.`,
  'pt-BR': ({ tag, pattern }) => `A condição ${tag} (${pattern}) não é satisfeita.`,
}

/** The result of a search through earlier events. */
export interface FailedSearch {
  readonly tag: string
  readonly counted: number
  readonly needed: number
  readonly timeframe: number
  /** Id of the counted rule if its events are never remembered. */
  readonly silent: string | null
}

export const SEARCH_FAILS: Localized<(failed: FailedSearch) => string> = {
  'en-US': ({ tag, counted, needed, timeframe, silent }) =>
    silent === null
      ? `${tag} needs ${needed} earlier events within ${timeframe} seconds, and found ${counted}.`
      : `${tag} counts events of rule ${silent}, which has level 0 or noalert; such events are never remembered, so it can never fire.`,
  'pt-BR': ({ tag, counted, needed, timeframe, silent }) =>
    silent === null
      ? `${tag} precisa de ${needed} eventos anteriores em ${timeframe} segundos e encontrou ${counted}.`
      : `${tag} conta eventos da regra ${silent}, que tem nível 0 ou noalert; eventos assim nunca são lembrados, então ela nunca dispara.`,
}
