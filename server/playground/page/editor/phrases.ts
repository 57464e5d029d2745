/** CodeMirror's own words, by the English ones that it has. English needs none. */
import { portuguese } from '../texts/pt-BR.js'
import type { Texts } from '../texts/index.js'

const PORTUGUESE: Readonly<Record<string, string>> = {
  Find: 'Procurar',
  Replace: 'Substituir',
  next: 'seguinte',
  previous: 'anterior',
  all: 'todos',
  'match case': 'maiúsculas',
  regexp: 'regex',
  'by word': 'palavra',
  replace: 'substituir',
  'replace all': 'substituir todos',
  close: 'fechar',
  'current match': 'ocorrência atual',
  'on line': 'na linha',
  'replaced $ matches': '$ ocorrências substituídas',
  'replaced match on line $': 'ocorrência na linha $ substituída',
  'Go to line': 'Ir para a linha',
  go: 'ir',
  'Fold line': 'Dobrar linha',
  'Unfold line': 'Desdobrar linha',
  'Folded lines': 'Linhas dobradas',
  'Unfolded lines': 'Linhas desdobradas',
  to: 'até',
  'folded code': 'código dobrado',
  unfold: 'desdobrar',
  Diagnostics: 'Diagnósticos',
  'No diagnostics': 'Sem diagnósticos',
  Completions: 'Sugestões',
  'Control character': 'Caractere de controle',
  'Selection deleted': 'Seleção excluída',
}

export function phrasesOf(texts: Texts): Readonly<Record<string, string>> {
  return texts === portuguese ? PORTUGUESE : {}
}
