/** The texts around the findings of an upgrade, in each language. */
import type { Locale, MergedOption, OwnBehaviour, UpgradeFinding } from '#engine'

const ENGLISH = {
  severities: { error: 'error', warning: 'warning', info: 'note' } as Readonly<Record<UpgradeFinding['severity'], string>>,
  columns: ['Line', 'Severity', 'What happens, and what to do'] as readonly string[],
  advice: 'To do',
  merged: 'Merged rule, which --write writes',
  proposed: 'Proposed rule',
  absent: 'absent',
  yours: 'yours',
  taken: { upstream: 'taken over', both: 'joined', own: 'yours stays' } as Readonly<Record<MergedOption['taken'], string>>,
  changes: 'What --write changes',
  nothing: 'Nothing breaks.',
  summary: (errors: number, warnings: number, notes: number, mergeable: number) =>
    `${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}, ${notes} ${notes === 1 ? 'note' : 'notes'}; ${mergeable} can be merged.`,
  notRun: 'Wazuh would not start, so no event was run.',
  own: ({ total, differ, proven, searched, unknown }: OwnBehaviour) =>
    `${total} own rules and decoders: ${differ} with a difference, ${proven} that no change touches or proven without one, ${searched} in which none was found by searching, ${unknown} unknown.`,
  incomplete: 'The time was over before everything was searched: what is unknown may differ.',
}

export type UpgradeWords = typeof ENGLISH

export const UPGRADE_WORDS: Readonly<Record<Locale, UpgradeWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    severities: { error: 'erro', warning: 'aviso', info: 'nota' },
    columns: ['Linha', 'Severidade', 'O que acontece e o que fazer'],
    advice: 'A fazer',
    merged: 'Regra mesclada, que --write grava',
    proposed: 'Regra proposta',
    absent: 'ausente',
    yours: 'a sua',
    taken: { upstream: 'adotada', both: 'unidas', own: 'fica a sua' },
    changes: 'O que --write muda',
    nothing: 'Nada quebra.',
    summary: (errors, warnings, notes, mergeable) =>
      `${errors} ${errors === 1 ? 'erro' : 'erros'}, ${warnings} ${warnings === 1 ? 'aviso' : 'avisos'}, ${notes} ${notes === 1 ? 'nota' : 'notas'}; ${mergeable} com mesclagem possível.`,
    notRun: 'O Wazuh não iniciaria, portanto nenhum evento foi executado.',
    own: ({ total, differ, proven, searched, unknown }) =>
      `${total} regras e decoders próprios: ${differ} com diferença, ${proven} que nenhuma mudança afeta ou sem diferença (provado), ${searched} em que a busca não encontrou nenhuma, ${unknown} desconhecidos.`,
    incomplete: 'O tempo acabou antes do fim da busca: o que é desconhecido pode ter diferenças.',
  },
}
