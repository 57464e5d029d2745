import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DIAGNOSTICS, type DiagnosticCode } from '../../../engine/diagnostics/codes.js'
import { Collector } from '../../../engine/diagnostics/collector.js'
import { describeDiagnostic, LOCALES } from '../../../engine/diagnostics/text.js'
import { SourceText } from '../../../engine/source/source-text.js'

const file = new SourceText({ filename: 'local_rules.xml', kind: 'rules', scope: 'custom', content: 'one\ntwo\nthree\n' })

test("placeholders, the suggestion and Wazuh's behaviour are in the requested language", () => {
  const diagnostic = new Collector().add('decoder_missing_parent', { file, span: null }, { decoder: 'sshd-x', parent: 'SSHD' }, { suggestion: 'sshd' })
  assert.deepEqual(describeDiagnostic(diagnostic, 'en-US'), {
    message: 'The parent "SSHD" of decoder "sshd-x" does not exist. Did you mean "sshd"?',
    hint: 'Correct the name, letter for letter, or add a root decoder called "SSHD" before this one. Wazuh refuses to load the whole ruleset until this is corrected.',
  })
  assert.deepEqual(describeDiagnostic(diagnostic, 'pt-BR'), {
    message: 'O pai "SSHD" do decoder "sshd-x" não existe. Você quis dizer "sshd"?',
    hint: 'Corrija o nome, letra por letra, ou adicione um decoder raiz chamado "SSHD" antes deste. O Wazuh se recusa a carregar o conjunto de regras inteiro enquanto isto não for corrigido.',
  })
})

test('a consequence names its cause and the place of the cause', () => {
  const collector = new Collector()
  const cause = collector.add('rule_list_not_loaded', { file, span: file.span(4, 7) }, { id: 100, value: 'etc/lists/x' })
  const diagnostic = collector.add('rule_parent_dropped', { file, span: null }, { id: 101, parent: 100 }, { cause })
  assert.equal(describeDiagnostic(diagnostic, 'en-US').message, 'Rule 101 has the parent rule 100, which is not loaded. This is because rule 100 was dropped (local_rules.xml:2).')
  assert.equal(
    describeDiagnostic(diagnostic, 'pt-BR').message,
    'A regra 101 tem como pai a regra 100, que não é carregada. Isso ocorre porque a regra 100 foi descartada (local_rules.xml:2).',
  )
})

test('a value is inserted literally: braces and dollars are not placeholders, control characters are escaped', () => {
  const diagnostic = new Collector().add('rule_options_invalid', { file, span: null }, { id: 1, value: "{id} $& $'\n\x1b[31m" })
  assert.equal(describeDiagnostic(diagnostic, 'en-US').message, `"{id} $& $'\\n\\x1b[31m" is not a word that <options> knows (rule 1).`)
})

test('a missing value is shown as a question mark', () => {
  const code: DiagnosticCode = 'rule_options_invalid'
  const diagnostic = new Collector().add(code as DiagnosticCode, { file, span: null }, {})
  assert.equal(describeDiagnostic(diagnostic, 'en-US').message, '"?" is not a word that <options> knows (rule ?).')
})

test('details of the XML parser are translated, messages of PCRE2 are not', () => {
  const collector = new Collector()
  const xml = collector.add('xml_attribute_syntax', { file, span: null }, { detail: 'the value of "id" is not in quotes' })
  assert.equal(describeDiagnostic(xml, 'pt-BR').message, 'Um atributo está escrito de forma incorreta: o valor de "id" não está entre aspas.')
  const pcre = collector.add('regex_invalid', { file, span: null }, { name: 'regex', dialect: 'pcre2', reason: 'unmatched closing parenthesis' })
  assert.equal(describeDiagnostic(pcre, 'pt-BR').message, 'O padrão pcre2 de <regex> não compila: unmatched closing parenthesis.')
})

test('every code has texts in every language', () => {
  const collector = new Collector()
  for (const code of Object.keys(DIAGNOSTICS) as DiagnosticCode[]) {
    const diagnostic = collector.add(code, { file, span: null }, {})
    for (const locale of LOCALES) {
      const { message, hint } = describeDiagnostic(diagnostic, locale)
      assert.ok(message !== '' && hint !== '' && !/\{\w+\}/.test(message + hint), `${code} ${locale}`)
    }
  }
})
