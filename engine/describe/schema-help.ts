/**
 * The help of the option tables in other languages, keyed by the English text that stands in the tables: a changed text is found by its
 * test, and shows in English until then. Texts that the tables make for many tags are told by their form.
 */
import type { Locale } from '../diagnostics/text.js'

const PORTUGUESE: Readonly<Record<string, string>> = {
  'Name of the root decoder that this one refines. The parent must be loaded before, and must not be a child itself.':
    'Nome do decoder raiz que este refina. O pai precisa ser carregado antes e não pode ser ele mesmo um filho.',
  'Pattern for the program name of the syslog header. Selects the root; in a child it is compiled and never used.':
    'Padrão para o nome do programa no cabeçalho syslog. Seleciona a raiz; em um filho é compilado e nunca usado.',
  'Dialect of the pattern. When the tag is repeated, the last one decides.': 'Dialeto do padrão. Quando a tag se repete, vale a última.',
  'Pattern that must match for the decoder to be chosen.': 'Padrão que precisa casar para o decoder ser escolhido.',
  'Where the search begins. Only the first of repeated tags may have it.': 'Onde a busca começa. Entre tags repetidas, só a primeira pode ter.',
  'Pattern whose groups become the fields named in order.': 'Padrão cujos grupos viram os campos nomeados em order.',
  'Names of the fields that the groups of regex fill, separated by commas; at most 256. The last tag counts.':
    'Nomes dos campos que os grupos de regex preenchem, separados por vírgulas; no máximo 256. Vale a última tag.',
  'Category of the events: only rules of this category are tried.': 'Categoria dos eventos: só regras desta categoria são tentadas.',
  'A child keeps its own name instead of its parent\'s. Only the word "true" sets it.': 'O filho mantém o próprio nome em vez do nome do pai. Só a palavra "true" liga a opção.',
  'Built-in extractor instead of regex and order.': 'Extrator embutido no lugar de regex e order.',
  'Fields of earlier events with the same id are filled in. Any content switches it on.': 'Completa com campos de eventos anteriores de mesmo id. Qualquer conteúdo liga a opção.',
  'Fields that make up the "first time seen" key of if_fts rules.': 'Campos que formam a chave de "visto pela primeira vez" das regras com if_fts.',
  'Text that is shown with the decoder when it has fts.': 'Texto mostrado junto ao decoder quando ele tem fts.',
  'What JSON_Decoder does with null: keep it as the text "null", or leave the field out.': 'O que o JSON_Decoder faz com null: mantém como o texto "null" ou omite o campo.',
  'How JSON_Decoder writes arrays: as JSON text, or as values separated by commas.': 'Como o JSON_Decoder escreve arrays: como texto JSON ou como valores separados por vírgulas.',
  'Ids of parent rules, separated by commas or blanks. The rule is tried after a parent matched.':
    'Ids das regras pai, separados por vírgulas ou espaços. A regra é tentada depois que um pai casou.',
  'Puts the rule under every rule of at least this level. Level 0 counts as 99 here, so it sees practically every event.':
    'Põe a regra abaixo de toda regra de pelo menos este nível. O nível 0 conta como 99 aqui, então ela vê praticamente todo evento.',
  'Puts the rule under every rule, loaded before, whose groups contain this text; "|" separates alternatives.':
    'Põe a regra abaixo de toda regra já carregada cujos grupos contêm este texto; "|" separa alternativas.',
  'Counts earlier events that ended in this one rule.': 'Conta eventos anteriores que terminaram nesta regra.',
  'Counts earlier events that ended in a rule, loaded before, whose groups match this text.':
    'Conta eventos anteriores que terminaram em uma regra já carregada cujos grupos casam com este texto.',
  'Counts earlier events of the same decoder type whose log matches this OSRegex.': 'Conta eventos anteriores do mesmo tipo de decoder cujo log casa com este OSRegex.',
  'Turns the result round. A missing field fails the rule all the same. When the tag is repeated, the last one decides.':
    'Inverte o resultado. Um campo ausente ainda faz a regra falhar. Quando a tag se repete, vale a última.',
  'Name of the decoder that must answer for the event. Children without use_own_name answer with the name of their parent.':
    'Nome do decoder que precisa responder pelo evento. Filhos sem use_own_name respondem com o nome do pai.',
  'Puts a rule without parents under the template of this category. It is no condition by itself.':
    'Põe uma regra sem pais abaixo do modelo desta categoria. Não é, por si só, uma condição.',
  'Local time of day at which the event was received. Over midnight both named minutes are outside, and a leading "!" is lost.':
    'Hora local em que o evento foi recebido. Passando da meia-noite, os dois minutos citados ficam de fora e um "!" inicial se perde.',
  'Local weekday at which the event was received: names, weekdays or weekends, separated by commas or blanks.':
    'Dia da semana local em que o evento foi recebido: nomes, weekdays ou weekends, separados por vírgulas ou espaços.',
  'Looks a field up in a CDB list. All lists must pass; of three or more, only the last two are asked.':
    'Procura um campo em uma lista CDB. Todas as listas precisam passar; de três ou mais, só as duas últimas são consultadas.',
  'How to look it up; match_key when absent.': 'Como procurar; match_key quando ausente.',
  'OSMatch pattern for the value, for match_key_value and address_match_key_value.': 'Padrão OSMatch para o valor, em match_key_value e address_match_key_value.',
  'One of the built-in tests.': 'Um dos testes embutidos.',
  "Passes when the combination of fields that the decoder's fts names is seen for the first time.":
    'Passa quando a combinação de campos citada no fts do decoder é vista pela primeira vez.',
  'Passes when the log differs from the last one of this host and rule. It switches off any history search of the rule.':
    'Passa quando o log difere do último deste host e regra. Desliga qualquer busca no histórico feita pela regra.',
  'Pattern for one dynamic field; the name compares without case. Every tag is a condition of its own; at most 256. Default dialect: osregex.':
    'Padrão para um campo dinâmico; o nome é comparado sem diferenciar maiúsculas. Cada tag é uma condição própria; no máximo 256. Dialeto padrão: osregex.',
  'Name of the dynamic field.': 'Nome do campo dinâmico.',
  'Counts only events in which this dynamic field is present and equal.': 'Conta só eventos em que este campo dinâmico existe e é igual.',
  'Does not count events in which this dynamic field is equal.': 'Não conta eventos em que este campo dinâmico é igual.',
  'Counts the events of all agents; otherwise only those of the same agent count.': 'Conta os eventos de todos os agentes; sem ela, só os do mesmo agente contam.',
  'No longer has any effect: events of one agent are counted by default, see global_frequency.':
    'Não tem mais efeito: por padrão contam os eventos de um agente; veja global_frequency.',
  'What the alert says. Required. $(field) is replaced by the value of a field.': 'O que o alerta diz. Obrigatória. $(campo) é trocado pelo valor de um campo.',
  'Groups, separated by commas; joined to the name of the group around the rule as it stands. pci_dss_, gdpr_, hipaa_, nist_800_53_, tsc_, cis_ and gpg13_ mark compliance requirements.':
    'Grupos, separados por vírgulas; emendados como estão ao nome do grupo em volta da regra. pci_dss_, gdpr_, hipaa_, nist_800_53_, tsc_, cis_ e gpg13_ marcam requisitos de conformidade.',
  'ATT&CK techniques: either id elements, or one tacticID with one techniqueID.': 'Técnicas ATT&CK: elementos id, ou um tacticID com um techniqueID.',
  'Further reading; all texts are joined.': 'Leitura adicional; todos os textos são emendados.',
  'What the text is; "text" when absent.': 'O que o texto é; "text" quando ausente.',
  'CVE numbers; all texts are joined.': 'Números CVE; todos os textos são emendados.',
  'One word a tag that changes how the alert is handled.': 'Uma palavra por tag que muda o tratamento do alerta.',
  'Meant to remember the fields of an alert that should be silenced. It has no effect.': 'Deveria lembrar os campos de um alerta a silenciar. Não tem efeito.',
  'Meant to silence alerts whose fields were remembered. It has no effect.': 'Deveria silenciar alertas cujos campos foram lembrados. Não tem efeito.',
  'Rule id, 0 to 999999. Own rules take 100000 to 120000.': 'Id da regra, 0 a 999999. Regras próprias usam 100000 a 120000.',
  'Severity, 0 (ignored) to 16.': 'Severidade, de 0 (ignorada) a 16.',
  'Least length of the log in bytes; despite its name no upper limit.': 'Tamanho mínimo do log em bytes; apesar do nome, não é um limite máximo.',
  'How often the counted event must come, 2 to 9999, the current one included.': 'Quantas vezes o evento contado precisa vir, de 2 a 9999, incluindo o atual.',
  'Seconds in which the counted events must lie; 360 when absent.': 'Segundos em que os eventos contados precisam cair; 360 quando ausente.',
  'Seconds for which the rule stays silent after it fired.': 'Segundos em que a regra fica em silêncio depois de disparar.',
  'Replaces the rule of the same id that was loaded before. Its place in the tree stays.': 'Substitui a regra de mesmo id já carregada. O lugar dela na árvore permanece.',
  '1: the rule is only a container, it never answers itself.': '1: a regra é só um recipiente e nunca responde por si.',
  '0 moves the rule behind all its siblings.': '0 põe a regra atrás de todas as irmãs.',
}

/** What a pattern tag is compared with. */
const COMPARED: Readonly<Record<string, string>> = {
  'the log, after timestamp, host and program were removed': 'o log, depois de retirados data, host e programa',
  'the program name of the header': 'o nome do programa no cabeçalho',
  "the host name of the header, for agents the agent's name": 'o nome do host no cabeçalho; para agentes, o nome do agente',
  'the place that the event came from': 'o lugar de onde o evento veio',
  'dstuser, or srcuser when there is none': 'dstuser, ou srcuser quando não há',
  'the place of srcip; only builds with GeoIP have it': 'o lugar de srcip; só existe em builds com GeoIP',
  'the place of dstip; only builds with GeoIP have it': 'o lugar de dstip; só existe em builds com GeoIP',
}

/** Texts made for many tags, and what they become. */
const FORMS: readonly (readonly [form: RegExp, portuguese: (...parts: string[]) => string])[] = [
  [/^Pattern for the field (\w+)\. Default dialect: (.+)\.$/, (field, dialect) => `Padrão para o campo ${field}. Dialeto padrão: ${dialectName(dialect)}.`],
  [
    /^Pattern for the field (\w+), as text: 22 also matches 2222\. Default dialect: (.+)\.$/,
    (field, dialect) => `Padrão para o campo ${field}, como texto: 22 também casa com 2222. Dialeto padrão: ${dialectName(dialect)}.`,
  ],
  [/^Pattern for (.+)\. Default dialect: (.+)\.$/, (compared, dialect) => `Padrão para ${COMPARED[compared] ?? compared}. Dialeto padrão: ${dialectName(dialect)}.`],
  [
    /^Address, network \((.+)\) or "any" for the field (\w+)\. Repeated tags are alternatives; the last one's negate counts for all\.$/,
    (examples, field) => `Endereço, rede (${examples}) ou "any" para o campo ${field}. Tags repetidas são alternativas; o negate da última vale para todas.`,
  ],
  [/^Counts only events whose (\w+) is present and equal\.$/, (field) => `Conta só eventos em que ${field} existe e é igual.`],
  [
    /^Does not count events whose (\w+) is equal; a missing one counts as different\.$/,
    (field) => `Não conta eventos em que ${field} é igual; um campo ausente conta como diferente.`,
  ],
  [/^Field to look up: one of (.+), or a dynamic field\.$/, (fields) => `Campo a procurar: um de ${fields}, ou um campo dinâmico.`],
]

function dialectName(dialect: string): string {
  return dialect === 'the exact text, case-sensitive' ? 'o texto exato, diferenciando maiúsculas' : dialect
}

/** A table's help in a language. */
export function translateHelp(help: string, locale: Locale): string {
  if (locale === 'en-US') return help
  if (Object.hasOwn(PORTUGUESE, help)) return PORTUGUESE[help]
  for (const [form, portuguese] of FORMS) {
    const parts = form.exec(help)
    if (parts !== null) return portuguese(...parts.slice(1))
  }
  return help
}
