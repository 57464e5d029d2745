/** Por que um backup não pôde ser criado ou restaurado, em português. */
import type { None, SameShape, StrayPlaceholders } from '../../texts.js'
import type { backup as english } from '../en-US/backup.js'

export const backup = {
  store_partial: 'o armazenamento só tem parte de um backup, porque a restauração foi interrompida: restaure-o de novo',
  store_filled: 'o armazenamento não está vazio: há documentos em {collection}',
  file_changing: 'foram restaurados {restored} documentos em vez de {documents}: o arquivo mudou nesse meio-tempo',
  undone: 'o backup não pôde ser restaurado, e nenhum dado dele foi mantido: {cause}',
  left_to_other: 'o backup não pôde ser restaurado, e outra restauração agora usa o armazenamento: {cause}',
  left_partial: 'o backup não pôde ser restaurado, e parte dele ficou no armazenamento, que a próxima tentativa remove: {cause}',
  other_begun: 'outra restauração do armazenamento começou',
  other_begun_meanwhile: 'outra restauração do armazenamento começou nesse meio-tempo',
  goes_on: 'o backup tem dados depois do seu fim',
  empty: 'o backup está vazio',
  cut_off: 'o backup está truncado',
  changed: 'o backup foi alterado: o conteúdo não corresponde à soma de verificação',
  no_backup: 'o arquivo não é um backup',
  other_format: 'o backup tem o formato {format}; esta versão lê o formato {known}',
  no_document: 'o backup tem uma linha que não é um documento',
  no_json: 'o backup tem uma linha que não é JSON',
  line_too_long: 'o backup tem uma linha mais longa que qualquer documento',
  not_unpacked: 'o arquivo não é um backup, ou foi alterado: não pode ser descompactado',
  too_deep: 'o backup tem um documento aninhado demais',
  collection_unknown: 'o backup tem uma coleção que esta versão não conhece: {collection}',
  document_refused: 'o backup tem um documento que não pode ser armazenado: {cause}',
} as const satisfies SameShape<typeof english>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type BackupAgrees = None<StrayPlaceholders<typeof english, typeof backup>>
