/**
 * Words that users say for the words of the records. A question is searched for both; a term that was asked counts more. The groups are of the subject, not of
 * single records: a word that is wrong for some records of the group is left out.
 */
import type { Locale } from '../i18n/locale.js'
import { termsOf } from './tokens.js'

const GROUPS: Readonly<Record<Locale, readonly string[]>> = {
  'en-US': [
    'same duplicate repeated twice identical',
    'missing absent lacks unknown nonexistent exist',
    'overwrite override replace redefine',
    'quiet silence mute suppress ignore silent',
    'fire trigger match alert',
    'count frequency times threshold',
    'minutes seconds timeframe window',
    'ip address srcip',
    'source srcip src',
    'destination dstip dst',
    'negate not except exclude inverse',
    'capture group parentheses',
    'extract parse decode read',
    'time night hours business office schedule',
    'weekend weekday saturday sunday',
    'login logon authentication sign-in',
    'slow performance speed expensive',
    'parent if_sid',
    'hidden shadowed unreachable never',
    'maximum limit highest',
    'delete remove erase',
    'create add new',
    'cdb list lookup',
    'severity level priority',
    'password secret credential',
    'mongo mongodb',
    'terminal command shell cli',
    'unclosed close closed',
    'pattern regex expression',
    'wildcard dot',
    'username user account dstuser',
    'mail smtp email e-mail',
    'validate check lint',
    'speed benchmark bench measure',
    'coverage untested',
    'bruteforce brute-force guessing',
  ],
  'pt-BR': [
    'mesmo duplicado repetido igual idêntico',
    'faltando ausente inexistente desconhecido existe faltou',
    'sobrescrever substituir redefinir overwrite',
    'silenciar calar suprimir ignorar silêncio ignore',
    'disparar casar alertar',
    'contar frequência vezes frequency',
    'minutos segundos timeframe janela',
    'ip endereço srcip',
    'origem srcip src',
    'destino dstip dst',
    'negar negação negate exceto',
    'captura grupo parênteses',
    'extrair decodificar ler',
    'horário time noite expediente comercial',
    'fim-de-semana weekday sábado domingo semana',
    'login logon autenticação acesso',
    'lento desempenho velocidade',
    'pai if_sid parent',
    'órfã isolada',
    'oculta encoberta inalcançável nunca',
    'máximo limite maior',
    'apagar remover excluir',
    'criar adicionar acrescentar',
    'severidade level nível prioridade gravidade',
    'senha segredo credencial',
    'mongo mongodb',
    'terminal comando cli',
    'padrão regex expressão',
    'curinga ponto',
    'usuário user conta dstuser',
    'mail smtp email e-mail correio',
    'modelo template',
    'cota quota',
    'descrição description',
    'lista list cdb',
    'grupo group',
    'campo field order',
    'ordem order',
    'porta srcport dstport',
    'protocolo protocol',
    'ação action',
    'programa program_name',
    'categoria category',
    'técnica mitre tática',
    'validar validate verificar',
    'testar test teste',
    'velocidade bench medir',
    'força-bruta brute-force bruteforce',
    'cópia backup',
    'restaurar restore',
  ],
}

const TABLES = new Map<Locale, ReadonlyMap<string, ReadonlySet<string>>>()

/** The terms that the thesaurus adds to those of a question. */
export function expandTerms(asked: readonly string[], locale: Locale): Set<string> {
  const table = tableOf(locale)
  return new Set(asked.flatMap((term) => [...(table.get(term) ?? [])]).filter((term) => !asked.includes(term)))
}

/** Made at first use: from a term to the others of its groups. */
function tableOf(locale: Locale): ReadonlyMap<string, ReadonlySet<string>> {
  const known = TABLES.get(locale)
  if (known !== undefined) return known
  const table = new Map<string, Set<string>>()
  for (const group of GROUPS[locale]) {
    const terms = termsOf(group, locale)
    for (const term of terms) table.set(term, new Set([...(table.get(term) ?? []), ...terms.filter((other) => other !== term)]))
  }
  TABLES.set(locale, table)
  return table
}
