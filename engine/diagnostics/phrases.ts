/**
 * Translations of parameters that are phrases: details of the XML parser, reasons of OSRegex, OSMatch, the checks and crashes. Messages of PCRE2 are not
 * translated, because people search for them.
 */
import { CRASHES, type CrashKind } from './crashes.js'
import type { Locale } from './text.js'

/** The texts of `CRASHES`. A kind without texts does not compile. */
const CRASHES_PORTUGUESE: Record<CrashKind, { readonly reason: string; readonly advice: string }> = {
  group_text: {
    reason: 'um texto de grupo com mais de 2048 bytes é acrescentado ou recebe um acréscimo, e a regra fica sem nenhum',
    advice: 'mantenha o nome do grupo e cada <group> das regras dele em até 2048 bytes',
  },
  group_empty: {
    reason: 'um grupo sem regras que não é o primeiro do arquivo é liberado duas vezes',
    advice: 'adicione uma regra ao grupo ou remova-o',
  },
  placement_left: {
    reason: 'a regra é descartada, mas as posições dela sob os pais anteriores ao que falta continuam na árvore',
    advice: 'remova de <if_sid> o pai que não existe',
  },
  other_agent: {
    reason: 'a busca em todos os eventos lembrados encontra um de outro agente e nunca termina',
    advice: 'adicione <global_frequency /> ou conte os eventos de uma única regra com <if_matched_sid>',
  },
  groups_unset: {
    reason: 'o padrão PCRE2 de <regex> casa sem que um grupo participe, e nada foi capturado antes nesta sessão',
    advice: 'escreva o padrão de modo que toda correspondência preencha um grupo',
  },
  group_ends_early: {
    reason: 'um grupo do padrão OS_Regex de <regex> termina antes de começar (no melhor caso, nada é encontrado)',
    advice: 'coloque um texto obrigatório entre o grupo e o que se repete antes dele',
  },
}

const CRASH_PHRASES = new Map(
  (Object.keys(CRASHES) as CrashKind[]).flatMap((kind) => [
    [CRASHES[kind].reason, CRASHES_PORTUGUESE[kind].reason] as [string, string],
    [CRASHES[kind].advice, CRASHES_PORTUGUESE[kind].advice] as [string, string],
  ]),
)

const PORTUGUESE: readonly (readonly [RegExp, string])[] = [
  [/^nesting over (\d+) levels$/, 'aninhamento com mais de $1 níveis'],
  [/^an element name over (\d+) bytes$/, 'um nome de elemento com mais de $1 bytes'],
  [/^a closing name over (\d+) bytes$/, 'um nome de fechamento com mais de $1 bytes'],
  [/^an attribute name over (\d+) bytes$/, 'um nome de atributo com mais de $1 bytes'],
  [/^an attribute value over (\d+) bytes$/, 'um valor de atributo com mais de $1 bytes'],
  [/^a variable name over (\d+) bytes$/, 'um nome de variável com mais de $1 bytes'],
  [/^a text over (\d+) bytes$/, 'um texto com mais de $1 bytes'],
  [/^more than (\d+) attributes$/, 'mais de $1 atributos'],
  [/^the first attribute of <var> must be "name"$/, 'o primeiro atributo de <var> deve ser "name"'],
  [/^an attribute must not be called "var"$/, 'um atributo não pode se chamar "var"'],
  [/^the file ends inside the tag$/, 'o arquivo termina dentro da tag'],
  [/^attribute "(.*)" has no value$/s, 'o atributo "$1" não tem valor'],
  [/^the value of "(.*)" is not in quotes$/s, 'o valor de "$1" não está entre aspas'],
  [/^the value of "(.*)" is not ended$/s, 'o valor de "$1" não termina'],
  [/^">" inside the value of "(.*)"$/s, '">" dentro do valor de "$1"'],
  [/^a blank, ">" or "\/" must follow the value of "(.*)"$/s, 'um espaço, ">" ou "/" deve vir depois do valor de "$1"'],
  [/^a backslash ends the pattern$/, 'o padrão termina em uma barra invertida'],
  [/^"(.*)" is no escape of OS_Regex$/s, '"$1" não é um escape do OS_Regex'],
  [/^groups must not be nested$/, 'grupos não podem ser aninhados'],
  [/^"\)" without "\("$/, '")" sem "("'],
  [/^"\(" is not closed$/, '"(" não é fechado'],
  [/^"\|" inside a group$/, '"|" dentro de um grupo'],
  [/^the pattern is longer than (\d+) bytes$/, 'o padrão tem mais de $1 bytes'],
  [/^"--" inside a comment$/, '"--" dentro de um comentário'],
  [/^a bare "&"$/, 'um "&" solto'],
  [/^without check_value it never passes$/, 'sem check_value nunca passa'],
  [/^check_value is ignored$/, 'check_value é ignorado'],
  [/^it has white space around it$/, 'tem espaços em volta'],
  [/^it is a static field$/, 'é um campo estático'],
  [/^it has (\d+) characters$/, 'tem $1 caracteres'],
  [/^it has no words$/, 'não tem palavras'],
  [/^a name begins or ends with a blank$/, 'um nome começa ou termina com espaço'],
  [/^a name has a blank inside$/, 'um nome contém um espaço'],
  [/^a name stands twice$/, 'um nome aparece duas vezes'],
  [/^it is cut at its first blank$/, 'é cortado no primeiro espaço'],
  [/^it has unusual characters$/, 'tem caracteres incomuns'],
  [/^rule (\d+) above it takes events of decoder "(.*)" only$/s, 'a regra $1 acima dela só aceita eventos do decoder "$2"'],
  [/^(<.*>) and (<.*>) of rule (\d+) above it exclude each other$/s, '$1 e $2 da regra $3 acima dela se excluem'],
  [/^(<.*>) and (<.*>) exclude each other$/s, '$1 e $2 se excluem'],
  [/^rule (\d+) above it already tests the same$/, 'a regra $1 acima dela já testa o mesmo'],
  [/^it extracts nothing$/, 'nada extrai'],
  [/^<order> receives what was captured last, also of an earlier event$/, '<order> recebe o que foi capturado por último, também de um evento anterior'],
  [/^it is empty$/, 'está vazio'],
  [/^it has an empty alternative$/, 'tem uma alternativa vazia'],
  [/^"(.*)" matches anything$/s, '"$1" casa com qualquer coisa'],
  [/^"\^" stands behind text that must be there$/, '"^" vem depois de texto obrigatório'],
  [/^text must follow behind "\$"$/, 'há texto obrigatório depois de "$"'],
  [/^PCRE2 gives up after ten million steps, and Wazuh takes that for no match$/, 'o PCRE2 desiste depois de dez milhões de passos, e o Wazuh toma isso como se não casasse'],
  [/^it takes about (\d+) seconds$/, 'ele leva cerca de $1 segundos'],
  [/^it begins with "(.*)"$/s, 'começa com "$1"'],
  [/^a lookahead$/, 'um lookahead'],
  [/^a lookbehind$/, 'um lookbehind'],
  [/^a backreference$/, 'uma referência a um grupo anterior'],
  [/^an atomic group or possessive quantifier$/, 'um grupo atômico ou quantificador possessivo'],
  [/^a conditional group$/, 'um grupo condicional'],
  [/^a recursion$/, 'uma recursão'],
  [/^a backtracking verb$/, 'um verbo de backtracking'],
  [/^"\.cdb" is no part of it$/, '".cdb" não faz parte dele'],
  [/^it begins with a slash$/, 'começa com uma barra'],
  [/^it has a backslash$/, 'contém uma barra invertida'],
  [/^a part of it is empty, "\." or "\.\."$/, 'uma parte dele é vazia, "." ou ".."'],
  [/^: the one of (.*) is known in that file only$/s, ': a de $1 só é conhecida naquele arquivo'],
  [/^the <var> of (.*) is known in that file only$/s, 'o <var> de $1 só é conhecido naquele arquivo'],
  [/^its <var> is below this place$/, 'o <var> dela está abaixo deste ponto'],
  [/^is an alternative that can never match$/, 'é uma alternativa que nunca pode casar'],
  [/^can never match$/, 'nunca pode casar'],
  [/^can never match, so the negated condition holds for every text$/, 'nunca pode casar, e por isso a condição negada vale para todo texto'],
  [/^so hardly any text matches$/, 'e por isso quase nenhum texto casa'],
  [/^so the negated condition holds for nearly every text$/, 'e por isso a condição negada vale para quase todo texto'],
  [/^so the negated condition holds for every text$/, 'e por isso a condição negada vale para todo texto'],
  [/^so it does not match$/, 'e por isso não casa'],
  [/^offset="after_parent" has no effect without a <prematch> beside it$/, 'offset="after_parent" não tem efeito sem um <prematch> ao lado dele'],
  [/^it has no offset$/, 'ele não tem offset'],
  [/^<prematch offset="after_parent">\{<\/prematch> and offset="after_parent"$/, '<prematch offset="after_parent">{</prematch> e offset="after_parent"'],
  [/^the date of a header$/, 'a data de um cabeçalho'],
  [/^the program name of a header$/, 'o nome do programa de um cabeçalho'],
  [/^so it matches only logs without such a header$/, 'e por isso só casa com logs sem esse cabeçalho'],
  [/^so it cannot match$/, 'e por isso não pode casar'],
  [/^revoked$/, 'revogada'],
  [/^revoked or deprecated$/, 'revogada ou descontinuada'],
]

/** Returns the translation of a known phrase, and any other value unchanged. */
export function translatePhrase(value: string, locale: Locale): string {
  if (locale === 'en-US') return value
  const crash = CRASH_PHRASES.get(value)
  if (crash !== undefined) return crash
  for (const [phrase, translated] of PORTUGUESE) if (phrase.test(value)) return value.replace(phrase, translated)
  return value
}
