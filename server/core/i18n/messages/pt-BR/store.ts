/** Erros de um armazenamento, em português. */
import type { None, SameShape, StrayPlaceholders } from '../../texts.js'
import type { store as english } from '../en-US/store.js'

export const store = {
  unavailable: 'o banco de dados não responde',
  full: 'não há mais espaço para o banco de dados',
  duplicate: '{fields} repetido em {collection}',
  stale: 'a escrita {index} de um commit não corresponde a nada em {collection}',
  too_large: 'documento grande demais para {collection}',
  newer_format: '{directory} tem o formato {version}; esta versão lê até o {known}',
  damaged: '{file} não pode ser usado como banco de dados: {reason}',
  lmdb_store:
    '{directory} contém um banco de dados da versão 0.1, que esta versão não lê: inicie uma vez a versão 0.2 com ele, que o copia (ela precisa do pacote lmdb), e depois esta versão',
  newer_migration: 'o banco de dados tem a migração {migration}, que esta versão não conhece',
  user_refused: 'o MongoDB recusa o usuário da sua URL: {reason}',
  url_refused: 'a URL do MongoDB não pode ser usada: {reason}',
  standalone_refused:
    'este MongoDB é um servidor isolado, que não tem transações: inicie o mongod com --replSet rs0 e execute rs.initiate() no mongosh uma vez, o que faz dele um replica set de um nó',
  unfinished_commits: 'a coleção {collection} tem um commit inacabado da versão 0.1: inicie essa versão uma vez com este MongoDB, o que o conclui, e depois esta versão',
} as const satisfies SameShape<typeof english>

/** Does not compile when a text has a placeholder that the English one lacks. */
export type StoreAgrees = None<StrayPlaceholders<typeof english, typeof store>>
