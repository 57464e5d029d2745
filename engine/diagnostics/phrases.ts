/**
 * Values of placeholders that are themselves words: details of the XML reader and reasons of the two small pattern dialects.
 * Messages of PCRE2 stay as PCRE2 has them in every language, because people search for them.
 */
import type { Locale } from './text.js'

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
]

/** A value in the reader's language, when it is one of the known phrases; else the value. */
export function translatePhrase(value: string, locale: Locale): string {
  if (locale === 'en-US') return value
  for (const [phrase, translated] of PORTUGUESE) if (phrase.test(value)) return value.replace(phrase, translated)
  return value
}
