/** Help and usage errors in both languages: for all commands, and for all errors with a text. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { DIALECTS, LOCALES, LOG_FORMATS, type Locale } from '#engine'
import { COMMON_OPTIONS, type OptionTable, readArguments } from '../../../server/cli/arguments.js'
import type { Command } from '../../../server/cli/command.js'
import { COMMAND_NAMES, COMMANDS } from '../../../server/cli/commands.js'
import { PROGRAM } from '../../../server/cli/help.js'
import { SESSIONS_LIMIT } from '../../../server/cli/event-engine.js'
import { LINE_LIMIT } from '../../../server/cli/input/lines.js'
import { languageOf } from '../../../server/cli/language.js'
import { differentlyRead } from '../../../engine/describe/dialects.js'
import { writeCheckpoint } from '../../../server/cli/replay/checkpoint.js'
import { createState } from '../../../server/cli/replay/correlator.js'
import { UsageError, type UsageFault } from '../../../server/cli/usage-error.js'
import { help as english } from '../../../server/core/i18n/messages/en-US/help.js'
import { backup as backupEnglish } from '../../../server/core/i18n/messages/en-US/backup.js'
import { store as storeEnglish } from '../../../server/core/i18n/messages/en-US/store.js'
import { configuration as configurationEnglish } from '../../../server/core/i18n/messages/en-US/configuration.js'
import * as inputEnglish from '../../../server/core/i18n/messages/en-US/input.js'
import { backup as backupPortuguese } from '../../../server/core/i18n/messages/pt-BR/backup.js'
import { store as storePortuguese } from '../../../server/core/i18n/messages/pt-BR/store.js'
import { configuration as configurationPortuguese } from '../../../server/core/i18n/messages/pt-BR/configuration.js'
import * as inputPortuguese from '../../../server/core/i18n/messages/pt-BR/input.js'
import { help as portuguese } from '../../../server/core/i18n/messages/pt-BR/help.js'
import { call, callInto, gitEnvironment, OPENED, Workplace } from './call.js'

const WORDS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies Record<Locale, unknown>
/** The stored English help: `detection-content logtest --help --locale en-US > test/cases/help/logtest.txt`. */
const HELP_CASES = new URL('../../../../test/cases/help/', import.meta.url)
const BRAZIL = { LANG: 'pt_BR.UTF-8' }

/** All texts, in order. */
function textsOf(words: unknown): string[] {
  return typeof words === 'string' ? [words] : Object.values(words as object).flatMap(textsOf)
}

const ALL: readonly Command[] = await Promise.all(COMMAND_NAMES.map((name) => COMMANDS[name]()))

const written = (name: string): string => readFileSync(new URL(`${name}.txt`, HELP_CASES), 'utf8')
const inOneLine = (text: string): string => text.replace(/\s+/g, ' ')

describe('the help', () => {
  for (const locale of LOCALES) {
    it(`of the program is in ${locale}`, async () => {
      const { code, stdout } = await call(['--help', '--locale', locale])
      assert.equal(code, 0)
      const { program, headings, shared, commands } = WORDS[locale]
      const shown = [program, headings.begin, headings.commonOptions, shared.locale, shared.color, shared.help, ...COMMAND_NAMES.map((name) => commands[name].summary)]
      for (const text of textsOf(shown)) assert.ok(inOneLine(stdout).includes(text), text)
    })

    for (const command of ALL) {
      it(`of ${command.name} is complete in ${locale}`, async () => {
        const { code, stdout, stderr } = await call([command.name, '--help', '--locale', locale])
        assert.deepEqual([code, stderr], [0, ''])
        assert.doesNotMatch(stdout, /undefined|\{[a-z]\w*\}/)
        const { headings, commands } = WORDS[locale]
        const { summary, usage, description, options, examples } = commands[command.name]
        const filled = command.helpParams?.(locale) ?? {}
        const shown = [headings.usage, headings.options, headings.examples, summary, usage, description, options, examples]
        for (const text of textsOf(shown)) {
          for (const part of text.split(/\{\w+\}/)) assert.ok(inOneLine(stdout).includes(inOneLine(part).trim()), part)
        }
        for (const value of Object.values(filled)) assert.ok(inOneLine(stdout).includes(inOneLine(String(value))), String(value))
        for (const [option, { short }] of Object.entries<OptionTable[string]>({ ...command.options, ...COMMON_OPTIONS })) {
          // The explanation follows on the same line or on the next.
          assert.match(stdout, new RegExp(`^  ${short === undefined ? '' : `-${short}, `}--${option}(?: \\S+)?(?: +|\\n +)\\S`, 'm'), option)
        }
      })
    }
  }

  it('in English is the stored text', async () => {
    assert.equal((await call(['--help'])).stdout, written(PROGRAM))
    for (const name of COMMAND_NAMES) assert.equal((await call([name, '--help'])).stdout, written(name), name)
  })

  it('has examples that can be typed as they are', () => {
    for (const { name, examples } of ALL) for (const line of examples) assert.ok(line.includes(`${PROGRAM} ${name}`), line)
  })

  it('has no text of one language in the other', () => {
    // Usage lines and value names may be equal in both languages.
    const prose = ({ commands, shared, headings, program }: (typeof WORDS)[Locale]): string[] =>
      textsOf([shared, headings, program, Object.values(commands).map(({ summary, description, options, examples }) => [summary, description, options, examples])])
    const [first, second] = [prose(english), prose(portuguese)]
    assert.equal(first.length, second.length)
    assert.deepEqual(
      first.filter((text, index) => text === second[index]),
      [],
    )
  })

  it('has texts only for existing commands and options', () => {
    assert.deepEqual(Object.keys(english.commands).sort(), [...COMMAND_NAMES].sort())
    const options = new Set([COMMON_OPTIONS, ...ALL.map((command) => command.options)].flatMap((table) => Object.keys(table)))
    for (const option of Object.keys(english.shared)) assert.ok(options.has(option), option)
  })

  it('is in the language of the terminal by default, also after an error', async () => {
    assert.match((await call(['logtest', '-h'], { env: BRAZIL })).stdout, /^Exemplos$/m)
    assert.match((await call([], { env: BRAZIL })).stderr, /^Comandos$/m)
    assert.match((await call(['help'], { env: BRAZIL })).stdout, /^Comandos$/m)
    assert.match((await call(['logtest', '-h', '--locale', 'en-US'], { env: BRAZIL })).stdout, /^Examples$/m)
  })
})

interface Wrong {
  readonly argv: readonly string[]
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  readonly english: string
  readonly portuguese: string
}

/** A repository with a revision that does not load, and one, `large`, that has too many files. */
function wrongRepository(folder: string): { readonly env: Readonly<Record<string, string>>; readonly large: string } {
  const env = gitEnvironment(folder)
  const git = (args: readonly string[], input = ''): string => execFileSync('git', args, { env, input, encoding: 'utf8' }).trim()
  git(['init', '--quiet', folder])
  const blob = git(['hash-object', '-w', '--stdin'], '<group name="x,"><rule id="x" level="3"><description>x</description></rule></group>')
  const commit = (lines: readonly string[]): string => git(['commit-tree', '-m', 'content', git(['mktree'], lines.join('\n'))])
  git(['update-ref', 'HEAD', commit([`100644 blob ${blob}\tbroken.xml`])])
  const many = git(['mktree'], Array.from({ length: 5_001 }, (_, index) => `100644 blob ${blob}\t${index}.xml`).join('\n'))
  const large = commit([`040000 tree ${many}\tmany`])
  git(['update-ref', 'refs/heads/large', large])
  return { env, large: large.slice(0, 12) }
}

describe('a usage error', () => {
  const workplace = new Workplace()
  after(() => workplace.remove())
  const at = (name: string): string => join(workplace.folder, name)
  const note = workplace.write('note.txt', 'neither rules nor decoders')
  const large = at('large.xml')
  writeFileSync(large, '')
  const limit = 64 * 1024 * 1024
  truncateSync(large, limit + 1)
  workplace.write('empty/note.txt', '')
  const empty = at('empty')
  for (const name of ['first', 'second']) truncateSync(workplace.write(`full/${name}.xml`, ''), 5 * 1024 * 1024)
  const full = at('full')
  const broken = workplace.write('broken.xml', '<group name="x,"><rule id="x" level="3"><description>x</description></rule></group>')
  const { env: repository, large: largeRevision } = wrongRepository(at('repository'))
  const packed = workplace.write('events.zip', '')
  workplace.write('replayed/alerts.ndjson', '')
  const replayed = at('replayed')
  writeCheckpoint(replayed, 'another call', {
    place: { order: [], begun: 0, lanes: [], linesBefore: 0, bytesBefore: 0 },
    state: createState(1),
    alerts: 0,
    incomplete: [],
    isFinished: false,
    isFine: false,
  })
  const base = workplace.ruleset()
  const partial = async (name: string, line: string): Promise<void> => {
    await callInto(at(name), ['replay', '--partial', '-', '--name', 'door', '--ruleset', base], { stdin: line })
  }
  const [part, other, cut] = [at('door.part'), at('other.part'), at('cut.part')]
  before(async () => {
    await partial('door.part', 'a')
    await partial('other.part', 'b')
    writeFileSync(cut, readFileSync(part).subarray(0, -1))
  })
  const taken = createServer().listen(0)
  const { port } = taken.address() as AddressInfo
  after(() => taken.close())

  /** A call for every error: a new error without a call does not compile. */
  const WRONG: Readonly<Record<UsageFault, Wrong>> = {
    command_unknown: {
      argv: ['zzzzzz'],
      english:
        'detection-content: unknown command zzzzzz. Commands: logtest, validate, test, generate, audit, mutate, diff, guard, wazuh5, bisect, shrink, replay, redos, regex, bench, schema, explain, lsp, playground, serve, backup, restore.',
      portuguese:
        'detection-content: comando desconhecido: zzzzzz. Comandos: logtest, validate, test, generate, audit, mutate, diff, guard, wazuh5, bisect, shrink, replay, redos, regex, bench, schema, explain, lsp, playground, serve, backup, restore.',
    },
    command_misspelt: {
      argv: ['validat'],
      english: 'detection-content: unknown command validat. Did you mean validate?',
      portuguese: 'detection-content: comando desconhecido: validat. Você quis dizer validate?',
    },
    options_both: {
      argv: ['validate', '--fix', '--watch', note],
      english: 'detection-content validate: --fix and --watch cannot be combined. See detection-content validate --help.',
      portuguese: 'detection-content validate: --fix e --watch não podem ser combinadas. Veja detection-content validate --help.',
    },
    option_needs: {
      argv: ['validate', '--write', note],
      english: 'detection-content validate: --write needs --fix. See detection-content validate --help.',
      portuguese: 'detection-content validate: --write precisa de --fix. Veja detection-content validate --help.',
    },
    code_missing: {
      argv: ['explain'],
      english: 'detection-content explain: no code. Name the code of a diagnostic, such as rule_parent_missing.',
      portuguese: 'detection-content explain: falta o código. Indique o código de um diagnóstico, como rule_parent_missing.',
    },
    code_unknown: {
      argv: ['explain', 'zzzzzz'],
      english: 'detection-content explain: there is no diagnostic zzzzzz. schema --diagnostics prints all of them.',
      portuguese: 'detection-content explain: não existe o diagnóstico zzzzzz. schema --diagnostics mostra todos.',
    },
    code_misspelt: {
      argv: ['explain', 'rule_parent_mising'],
      english: 'detection-content explain: there is no diagnostic rule_parent_mising. Did you mean rule_parent_missing?',
      portuguese: 'detection-content explain: não existe o diagnóstico rule_parent_mising. Você quis dizer rule_parent_missing?',
    },
    transport_missing: {
      argv: ['lsp'],
      english: 'detection-content lsp: no transport. Editors call it with --stdio.',
      portuguese: 'detection-content lsp: falta o transporte. Editores o chamam com --stdio.',
    },
    option_before_command: {
      argv: ['--what'],
      english: 'detection-content: unknown option --what. Write the command first: detection-content COMMAND.',
      portuguese: 'detection-content: opção desconhecida: --what. Escreva primeiro o comando: detection-content COMANDO.',
    },
    option_unknown: {
      argv: ['logtest', '-x'],
      english: 'detection-content logtest: unknown option -x. See detection-content logtest --help.',
      portuguese: 'detection-content logtest: opção desconhecida: -x. Veja detection-content logtest --help.',
    },
    option_misspelt: {
      argv: ['logtest', '--no-ruleset', 'x'],
      english: 'detection-content logtest: unknown option --no-ruleset. Did you mean --ruleset?',
      portuguese: 'detection-content logtest: opção desconhecida: --no-ruleset. Você quis dizer --ruleset?',
    },
    option_of_wazuh: {
      argv: ['logtest', '-d'],
      english: 'detection-content logtest: unknown option -d. What it does in wazuh-logtest, --trace does here.',
      portuguese: 'detection-content logtest: opção desconhecida -d. O que ela faz no wazuh-logtest, --trace faz aqui.',
    },
    value_not_unit_test: {
      argv: ['logtest', '-U', '5710:sshd'],
      english: 'detection-content logtest: --unit-test can\'t be "5710:sshd". It must be RULE:LEVEL:DECODER, such as 5710:5:sshd.',
      portuguese: 'detection-content logtest: --unit-test não pode ser "5710:sshd". Deve ser REGRA:NÍVEL:DECODER, como 5710:5:sshd.',
    },
    unit_test_of_json_lines: {
      argv: ['logtest', '--jsonl', '-U', '1:2:x'],
      english: 'detection-content logtest: --unit-test cannot be combined with --jsonl. It is for plain lines.',
      portuguese: 'detection-content logtest: --unit-test não pode ser combinado com --jsonl. Serve para linhas comuns.',
    },
    option_without_value: {
      argv: ['regex', '-e'],
      english: 'detection-content regex: option -e, --engine <value> argument missing. See detection-content regex --help.',
      portuguese: 'detection-content regex: falta o valor da opção -e, --engine. Veja detection-content regex --help.',
    },
    option_value_ambiguous: {
      argv: ['logtest', '--location', '--jsonl'],
      english: 'detection-content logtest: option --location argument is ambiguous. See detection-content logtest --help.',
      portuguese: 'detection-content logtest: o valor da opção --location é ambíguo. Veja detection-content logtest --help.',
    },
    option_takes_no_value: {
      argv: ['regex', '--no-quiet=x'],
      english: 'detection-content regex: option -q, --quiet does not take an argument. See detection-content regex --help.',
      portuguese: 'detection-content regex: a opção -q, --quiet não recebe valor. Veja detection-content regex --help.',
    },
    value_not_choice: {
      argv: ['logtest', '--locale', 'xx'],
      english: 'detection-content logtest: --locale can\'t be "xx". It must be one of: en-US, pt-BR.',
      portuguese: 'detection-content logtest: --locale não pode ser "xx". Os valores possíveis são: en-US, pt-BR.',
    },
    value_not_number: {
      argv: ['bench', note, '--seconds', '0'],
      english: 'detection-content bench: --seconds can\'t be "0". It must be a number of at least 0.05.',
      portuguese: 'detection-content bench: --seconds não pode ser "0". Deve ser um número de pelo menos 0.05.',
    },
    value_not_percent: {
      argv: ['replay', note, '--out', at('new'), '--max-cost', 'much'],
      english: 'detection-content replay: --max-cost can\'t be "much". It must be a percentage, such as +20%.',
      portuguese: 'detection-content replay: --max-cost não pode ser "much". Deve ser uma porcentagem, como +20%.',
    },
    value_not_rule_id: {
      argv: ['logtest', '--explain', 'abc'],
      english: 'detection-content logtest: --explain can\'t be "abc". It must be the id of a rule.',
      portuguese: 'detection-content logtest: --explain não pode ser "abc". Deve ser o id de uma regra.',
    },
    operand_unexpected: {
      argv: ['schema', 'rules'],
      english: 'detection-content schema: unexpected argument "rules". See detection-content schema --help.',
      portuguese: 'detection-content schema: o argumento "rules" não é aceito. Veja detection-content schema --help.',
    },
    session_of_json_lines: {
      argv: ['logtest', '--jsonl', '--session'],
      english: 'detection-content logtest: --session cannot be combined with --jsonl. With --jsonl each line can have a "session_id".',
      portuguese: 'detection-content logtest: --session não pode ser combinada com --jsonl. Com --jsonl, cada linha pode ter um "session_id".',
    },
    sources_missing: {
      argv: ['replay'],
      english: 'detection-content replay: no sources. Name files or folders with events, or - for standard input.',
      portuguese: 'detection-content replay: nenhuma fonte. Indique arquivos ou pastas com eventos, ou - para a entrada padrão.',
    },
    stdin_with_others: {
      argv: ['replay', '-', note, '--out', at('new')],
      english: 'detection-content replay: - is named with other sources, or twice. Standard input has to be the only source.',
      portuguese: 'detection-content replay: - foi indicada com outras fontes, ou duas vezes. A entrada padrão tem de ser a única fonte.',
    },
    compression_unknown: {
      argv: ['replay', packed, '--out', at('new')],
      english: `detection-content replay: ${packed} cannot be read here: .zip. Decompress it, and pipe it into detection-content replay - --out DIR.`,
      portuguese: `detection-content replay: ${packed} não pode ser lido aqui: .zip. Descomprima-o e passe-o por um pipe a detection-content replay - --out DIR.`,
    },
    out_missing: {
      argv: ['replay', note],
      english: 'detection-content replay: no folder for the results. Name a new one with --out DIR.',
      portuguese: 'detection-content replay: nenhuma pasta para os resultados. Indique uma nova com --out DIR.',
    },
    replay_other: {
      argv: ['replay', note, '--out', replayed, '--resume'],
      english: `detection-content replay: ${replayed} has the results of another call. --resume needs the same sources, options, ruleset and versions; name a new folder for others.`,
      portuguese: `detection-content replay: ${replayed} tem os resultados de outra chamada. --resume precisa das mesmas fontes, opções, regras e versões; para outras, indique uma pasta nova.`,
    },
    partial_source: {
      argv: ['replay', '--partial', '-'],
      english: 'detection-content replay: a part has one source. Name one file, or - with the name that the source is to have in the results: --name NAME.',
      portuguese: 'detection-content replay: uma parte tem uma só fonte. Indique um arquivo, ou - com o nome que a fonte terá nos resultados: --name NOME.',
    },
    partial_other: {
      argv: ['replay', '--merge', note, '--ruleset', base, '--out', at('joined')],
      english: `detection-content replay: ${note} is no part of this replay. --merge needs the options, ruleset and versions of the calls with --partial.`,
      portuguese: `detection-content replay: ${note} não é parte deste replay. --merge precisa das opções, regras e versões das chamadas com --partial.`,
    },
    partial_cut: {
      argv: ['replay', '--merge', cut, '--ruleset', base, '--out', at('joined')],
      english: `detection-content replay: ${cut} has no end, and no other file has all of door. Run this part again: its call was ended.`,
      portuguese: `detection-content replay: ${cut} não tem fim, e nenhum outro arquivo tem door por inteiro. Execute esta parte de novo: a chamada dela foi encerrada.`,
    },
    partials_differ: {
      argv: ['replay', '--merge', part, other, '--ruleset', base, '--out', at('joined')],
      english: `detection-content replay: ${other} and ${part} are both of door, with other events. Keep the right one, or give the parts different names.`,
      portuguese: `detection-content replay: ${other} e ${part} são ambos de door, com outros eventos. Mantenha o certo, ou dê nomes diferentes às partes.`,
    },
    names_empty: {
      argv: ['replay', note, '--out', at('new'), '--select', 'level,,srcip'],
      english: 'detection-content replay: --select has an empty name. See detection-content replay --help.',
      portuguese: 'detection-content replay: --select tem um nome vazio. Veja detection-content replay --help.',
    },
    value_not_port: {
      argv: ['playground', '--port', '70000'],
      english: 'detection-content playground: --port can\'t be "70000". It must be a number from 0, for any free port, to 65535.',
      portuguese: 'detection-content playground: --port não pode ser "70000". Deve ser um número de 0, para qualquer porta livre, a 65535.',
    },
    port_taken: {
      argv: ['playground', '--port', String(port)],
      english: `detection-content playground: port ${port} is in use. Name another one with --port, or 0 for any free port.`,
      portuguese: `detection-content playground: a porta ${port} está em uso. Indique outra com --port, ou 0 para qualquer porta livre.`,
    },
    ruleset_without_folder: {
      argv: ['playground', '--ruleset', 'none'],
      english: 'detection-content playground: --ruleset needs a folder of content. Without one, drop a ruleset on the page.',
      portuguese: 'detection-content playground: --ruleset precisa de uma pasta de conteúdo. Sem ela, solte um conjunto de regras na página.',
    },
    path_not_folder: {
      argv: ['playground', note],
      english: `detection-content playground: ${note} is not a folder. Name the folder of the file.`,
      portuguese: `detection-content playground: ${note} não é uma pasta. Indique a pasta do arquivo.`,
    },
    folder_too_large: {
      argv: ['playground', full],
      english: `detection-content playground: ${full} has more than 1000 files of content, 8388608 bytes of it, or 20000 entries. Name a folder with content only.`,
      portuguese: `detection-content playground: ${full} tem mais de 1000 arquivos de conteúdo, 8388608 bytes dele, ou 20000 entradas. Indique uma pasta só com conteúdo.`,
    },
    folder_not_empty: {
      argv: ['playground', '--export', empty],
      english: `detection-content playground: ${empty} is not empty. Name a new folder.`,
      portuguese: `detection-content playground: ${empty} não está vazia. Indique uma pasta nova.`,
    },
    stores_both: {
      argv: ['backup', 'a', '--data-dir', 'x', '--mongodb-url', 'y'],
      english: 'detection-content backup: --data-dir and --mongodb-url cannot be combined. See detection-content backup --help.',
      portuguese: 'detection-content backup: --data-dir e --mongodb-url não podem ser combinadas. Veja detection-content backup --help.',
    },
    output_without_file: {
      argv: ['validate', '--output', 'sarif', 'x'],
      english: 'detection-content validate: --output sarif names no file. Write --output sarif=FILE.',
      portuguese: 'detection-content validate: --output sarif não indica um arquivo. Escreva --output sarif=ARQUIVO.',
    },
    content_missing: {
      argv: ['validate'],
      english: 'detection-content validate: nothing to validate. Name files or folders, or --custom PATH, or --ruleset DIR.',
      portuguese: 'detection-content validate: nada a validar. Indique arquivos ou pastas, ou --custom CAMINHO, ou --ruleset DIR.',
    },
    cases_missing: {
      argv: ['test'],
      english: 'detection-content test: no test files. Name suites, or folders with suites.',
      portuguese: 'detection-content test: nenhum arquivo de testes. Indique suítes de testes, ou pastas com suítes.',
    },
    pattern_missing: {
      argv: ['regex'],
      english: "detection-content regex: no pattern. Usage: regex --engine pcre2 'PATTERN' 'INPUT'.",
      portuguese: "detection-content regex: nenhum padrão. Uso: regex --engine pcre2 'PADRÃO' 'ENTRADA'.",
    },
    events_missing: {
      argv: ['bench'],
      english: 'detection-content bench: no events. Name a file with events, or - for standard input.',
      portuguese: 'detection-content bench: nenhum evento. Indique um arquivo com eventos, ou - para a entrada padrão.',
    },
    backup_missing: {
      argv: ['backup'],
      english: 'detection-content backup: no file. Name one file.',
      portuguese: 'detection-content backup: nenhum arquivo. Indique um arquivo.',
    },
    backups_several: {
      argv: ['restore', 'a', 'b'],
      english: 'detection-content restore: more than one file. Name one file.',
      portuguese: 'detection-content restore: mais de um arquivo. Indique um único arquivo.',
    },
    file_not_found: {
      argv: ['validate', '/nowhere'],
      english: 'detection-content validate: no such file: /nowhere. See detection-content validate --help.',
      portuguese: 'detection-content validate: arquivo não encontrado: /nowhere. Veja detection-content validate --help.',
    },
    file_is_folder: {
      argv: ['bench', empty],
      english: `detection-content bench: ${empty} is a folder. Name the files in it.`,
      portuguese: `detection-content bench: ${empty} é uma pasta. Indique os arquivos que estão nela.`,
    },
    file_too_large: {
      argv: ['validate', large],
      english: `detection-content validate: ${large} is larger than ${limit} bytes. See detection-content validate --help.`,
      portuguese: `detection-content validate: ${large} tem mais de ${limit} bytes. Veja detection-content validate --help.`,
    },
    file_not_content: {
      argv: ['validate', note],
      english: `detection-content validate: ${note} contains no rules, decoders or list. Each line of a list is key:value or key:; every file in a folder named lists is read as a list.`,
      portuguese: `detection-content validate: ${note} não contém regras, decoders nem uma lista. Cada linha de uma lista é chave:valor ou chave:; todo arquivo em uma pasta chamada lists é lido como lista.`,
    },
    folder_without_content: {
      argv: ['validate', empty],
      english: `detection-content validate: ${empty} contains no rules, decoders or lists. See detection-content validate --help.`,
      portuguese: `detection-content validate: ${empty}: não há regras, decoders nem listas nesta pasta. Veja detection-content validate --help.`,
    },
    folder_without_cases: {
      argv: ['test', empty],
      english: `detection-content test: ${empty} contains no .ini or .json files. Name another folder, or accept it with --allow-empty.`,
      portuguese: `detection-content test: ${empty}: não há arquivos .ini nem .json nesta pasta. Indique outra pasta ou aceite-a com --allow-empty.`,
    },
    write_target_invalid: {
      argv: ['mutate', '--write', note, note],
      english: `detection-content mutate: ${note} is no JSON file of cases. Name another file, or a new one.`,
      portuguese: `detection-content mutate: ${note} não é um arquivo JSON de casos. Indique outro arquivo, ou um novo.`,
    },
    folder_without_ruleset: {
      argv: ['logtest', '--ruleset', '/nowhere'],
      english: 'detection-content logtest: /nowhere contains no ruleset. A ruleset folder contains decoders/, rules/ or lists/.',
      portuguese: 'detection-content logtest: /nowhere: não há um conjunto de regras aqui. A pasta de um conjunto de regras contém decoders/, rules/ ou lists/.',
    },
    folder_without_store: {
      argv: ['backup', 'a', '--data-dir', '/nowhere'],
      english: 'detection-content backup: there is no embedded store in /nowhere. See detection-content backup --help.',
      portuguese: 'detection-content backup: não há um armazenamento embutido em /nowhere. Veja detection-content backup --help.',
    },
    events_none: {
      argv: ['bench', '-'],
      english: 'detection-content bench: the input has no events. See detection-content bench --help.',
      portuguese: 'detection-content bench: não há eventos na entrada. Veja detection-content bench --help.',
    },
    contents_not_two: {
      argv: ['diff', note],
      english: 'detection-content diff: diff compares two contents. Write detection-content diff OLD NEW: folders, files or REV:path.',
      portuguese: 'detection-content diff: diff compara dois conteúdos. Escreva detection-content diff ANTIGO NOVO: pastas, arquivos ou REV:caminho.',
    },
    upgrade_incomplete: {
      argv: ['guard', '--from', '.', '--custom', '.'],
      english: 'detection-content guard: guard compares two rulesets below your content. Write detection-content guard --from RULESET --to RULESET --custom PATH.',
      portuguese:
        'detection-content guard: guard compara dois conjuntos de regras sob o seu conteúdo. Escreva detection-content guard --from CONJUNTO --to CONJUNTO --custom CAMINHO.',
    },
    content_not_loaded: {
      argv: ['diff', broken, broken],
      english: `detection-content diff: Wazuh would not start with ${broken}: broken.xml:1: The rule id "x" is not a number of one to six digits. validate shows all diagnostics.`,
      portuguese: `detection-content diff: o Wazuh não iniciaria com ${broken}: broken.xml:1: O id de regra "x" não é um número de um a seis dígitos. validate mostra todos os diagnósticos.`,
    },
    expect_missing: {
      argv: ['bisect', 'x'],
      english: 'detection-content bisect: no rule. Name the expected rule with --expect RULE_ID.',
      portuguese: 'detection-content bisect: nenhuma regra. Indique a regra esperada com --expect ID.',
    },
    git_failed: {
      argv: ['diff', 'HEAD:content', note],
      env: { PATH: '/nowhere' },
      english: 'detection-content diff: git failed: ENOENT. REV:path and bisect need the program git, and a repository in the current folder.',
      portuguese: 'detection-content diff: o git falhou: ENOENT. REV:caminho e bisect precisam do programa git e de um repositório na pasta atual.',
    },
    revision_unknown: {
      argv: ['diff', 'nowhere:content', note],
      env: repository,
      english: 'detection-content diff: there is no Git revision nowhere here. Name a commit, branch or tag of the repository in the current folder.',
      portuguese: 'detection-content diff: não há aqui uma revisão nowhere do Git. Indique um commit, branch ou tag do repositório na pasta atual.',
    },
    revision_too_large: {
      argv: ['diff', 'large:many', note],
      env: repository,
      english: `detection-content diff: ${largeRevision}:many has more than 5000 files of content or ${limit} bytes. Name a folder with content only.`,
      portuguese: `detection-content diff: ${largeRevision}:many tem mais de 5000 arquivos de conteúdo ou ${limit} bytes. Indique uma pasta só com conteúdo.`,
    },
    revisions_none: {
      argv: ['bisect', '--expect', '1', '--path', 'nowhere', 'x'],
      env: repository,
      english: 'detection-content bisect: no revision changes nowhere. Name the content in the repository with --path.',
      portuguese: 'detection-content bisect: nenhuma revisão altera nowhere. Indique o conteúdo no repositório com --path.',
    },
    revisions_none_load: {
      argv: ['bisect', '--expect', '1', '--path', 'broken.xml', 'x'],
      env: repository,
      english: 'detection-content bisect: Wazuh would start with none of 1 revisions. Name the base with --ruleset, or other revisions with --from and --to.',
      portuguese: 'detection-content bisect: o Wazuh não iniciaria com nenhuma de 1 revisões. Indique a base com --ruleset, ou outras revisões com --from e --to.',
    },
    events_too_many: {
      argv: ['shrink'],
      stdin: 'x\n'.repeat(1_001),
      english: 'detection-content shrink: more than 1000 events. Name a shorter sequence.',
      portuguese: 'detection-content shrink: mais de 1000 eventos. Indique uma sequência menor.',
    },
    events_refused: {
      argv: ['bench', '-'],
      stdin: '{"event": "a", "location": "[x"}\n',
      english: 'detection-content bench: no event of the input can be run. Wazuh refuses a "location" that begins with "[" and has no "]".',
      portuguese: 'detection-content bench: nenhum dos eventos pode ser executado. O Wazuh recusa uma "location" que comece com "[" e não tenha "]".',
    },
  }

  for (const [fault, { argv, stdin = '', env = {}, english: line, portuguese: linha }] of Object.entries(WRONG)) {
    it(`${fault} is one line in each language, with exit code 2`, async () => {
      assert.deepEqual(await call(argv, { stdin, env }), { code: 2, stdout: '', stderr: `${line}\n` })
      assert.deepEqual(await call(argv, { stdin, env: { ...env, ...BRAZIL } }), { code: 2, stdout: '', stderr: `${linha}\n` })
    })
  }

  it('is in the language that the call names, at any position', async () => {
    for (const argv of [
      ['logtest', '--locale', 'pt-BR', '--rulset'],
      ['logtest', '--rulset', '--locale=pt-BR'],
      ['--locale', 'pt-BR', 'logtest'],
      ['validat', '--locale=pt-BR'],
      ['logtest', '--locale', 'en-US', '--rulset', '--locale', 'pt-BR'],
      ['logtest', '--locale', 'pt-BR', '--locale', 'xx'],
    ]) {
      assert.match((await call(argv)).stderr, /desconhecid[ao]|não pode ser/, argv.join(' '))
    }
    assert.match((await call(['logtest', '--rulset', '--locale', 'en-US'], { env: BRAZIL })).stderr, /unknown option/)
  })

  it('is not in an unknown language, or one that is not an option', async () => {
    assert.match((await call(['schema', '--', '--locale', 'pt-BR'])).stderr, /unexpected argument "--locale"/)
    assert.match((await call(['schema', '--locale', 'pt', 'x'])).stderr, /unexpected argument "x"|can't be "pt"/)
    assert.match((await call(['schema', '--locale'])).stderr, /argument missing/)
  })
})

describe('a note after a report', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  after(() => workplace.remove())

  const NOTES: readonly { readonly argv: readonly string[]; readonly stdin: () => string | readonly string[]; readonly english: string; readonly portuguese: string }[] = [
    {
      argv: ['logtest', '--fast'],
      stdin: () => ['x'.repeat(LINE_LIMIT + 1), '\n'],
      english: `-:1: longer than ${LINE_LIMIT} bytes, skipped`,
      portuguese: `-:1: mais de ${LINE_LIMIT} bytes, linha ignorada`,
    },
    {
      argv: ['logtest', '--jsonl'],
      stdin: () => Array.from({ length: SESSIONS_LIMIT + 2 }, (_, index) => JSON.stringify({ event: OPENED, session_id: String(index) })).join('\n'),
      english: `logtest: more than ${SESSIONS_LIMIT} sessions at once; 2 were evicted and started again`,
      portuguese: `logtest: mais de ${SESSIONS_LIMIT} sessões ao mesmo tempo; 2 foram descartadas e recomeçaram`,
    },
    {
      argv: ['bench', '-', '--json', '--seconds', '0.05'],
      stdin: () => [{ event: OPENED }, { event: 'a', location: '[x' }].map((event) => JSON.stringify(event)).join('\n'),
      english: 'bench: 1 of 2 events were skipped: Wazuh refuses their location',
      portuguese: 'bench: 1 de 2 eventos foram ignorados: o Wazuh recusa a location deles',
    },
  ]

  for (const { argv, stdin, english: line, portuguese: linha } of NOTES) {
    it(`is in both languages: ${argv.join(' ')}`, async () => {
      const input = stdin()
      const messages = async (locale: Locale): Promise<string[]> => (await call([...argv, '--ruleset', base, '--locale', locale], { stdin: input })).stderr.split('\n')
      assert.ok((await messages('en-US')).includes(line))
      assert.ok((await messages('pt-BR')).includes(linha))
    })
  }
})

describe('the report of a pattern', () => {
  const messages = async (argv: readonly string[], locale: Locale, stdin = ''): Promise<string> => (await call(['regex', ...argv, '--locale', locale], { stdin })).stdout

  it('is in both languages', async () => {
    const argv = ['by (\\w+) from (\\S+)', 'opened by ana from 192.0.2.1', 'x']
    const input = `  ${argv[1]}\n${' '.repeat(9)}${'^'.repeat(21)}\n    1  ana  bytes 10-13\n    2  192.0.2.1  bytes 19-28\n`
    const start = (text: string): string => text.split(/^ +osregex/m)[0]
    const english = await messages(argv, 'en-US')
    assert.equal(
      start(english),
      `matches  bytes 7-28 · a following offset starts at byte 20\n${input}  as osmatch  no match\n  as pcre2    matches\n\nno match\n  x\n\nMeaning in each dialect\n`,
    )
    const portuguese = await messages(argv, 'pt-BR')
    assert.equal(
      start(portuguese),
      `casa  bytes 7-28 · um offset seguinte começa no byte 20\n${input}  como osmatch  não casa\n  como pcre2    casa\n\nnão casa\n  x\n\nSignificado em cada dialeto\n`,
    )
    assert.match(portuguese, /^ {2}\\S {4} +tudo menos um espaço +uma barra invertida e "s" \(sem distinguir maiúsculas\) +tudo menos espaço em branco$/m)
  })

  it('explains in both languages why a pattern does not compile, if the text is ours', async () => {
    assert.equal(await messages(['(a', 'x', '-e', 'osregex'], 'en-US').then((text) => text.split('\n')[0]), 'error: no osregex pattern: "(" is not closed')
    assert.equal(await messages(['(a', 'x', '-e', 'osregex'], 'pt-BR').then((text) => text.split('\n')[0]), 'erro: não é um padrão osregex: "(" não é fechado')
    assert.match(await messages(['(a', '(a', '-e', 'osmatch'], 'pt-BR'), /como osregex +não compila: "\(" não é fechado\n +como pcre2 +não compila: missing closing parenthesis\n/)
    const line = JSON.stringify({ engine: 'osregex', pattern: '(a', input: 'a' })
    for (const [locale, message] of [
      ['en-US', '"(" is not closed'],
      ['pt-BR', '"(" não é fechado'],
    ] as const)
      assert.deepEqual(JSON.parse(await messages(['--jsonl'], locale, line)), {
        compiled: false,
        error: { code: 'bad_parentheses', offset: 0, message },
        matched: false,
        end: null,
        captures: [],
      })
  })

  it('describes each construct that the dialects interpret differently, in both languages', () => {
    const pattern = '!a\\.b.c.*x*?[a]{2}\\d\\w\\s\\S\\p\\t(a)(?i)A'
    const [first, second] = LOCALES.map((locale) => differentlyRead(pattern, locale))
    assert.equal(first.length, 17)
    first.forEach(({ name, reads }, index) => {
      for (const dialect of DIALECTS) assert.notEqual(reads[dialect], second[index].reads[dialect], `${name} in ${dialect}`)
    })
  })
})

/** The message of the JSON parser, which depends on the version of Node. */
function noJson(text: string): string {
  try {
    JSON.parse(text)
  } catch (fault) {
    return (fault as Error).message
  }
  throw new Error('it is JSON')
}

/** The text in both languages. */
type Messages = readonly [english: string, portuguese: string]

const inBoth = async (tell: (locale: Locale) => Promise<string>): Promise<Messages> => [await tell('en-US'), await tell('pt-BR')]

describe('error texts', () => {
  it('of backups, stores, settings and input are not in the wrong language', () => {
    for (const [first, second] of [
      [backupEnglish, backupPortuguese],
      [storeEnglish, storePortuguese],
      [configurationEnglish, configurationPortuguese],
      [inputEnglish, inputPortuguese],
    ]) {
      const texts = textsOf(second)
      assert.deepEqual(
        textsOf(first).filter((text, index) => text === texts[index]),
        [],
      )
    }
  })
})

describe('the error of a JSON line', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  after(() => workplace.remove())

  interface WrongLine {
    readonly command: 'logtest' | 'validate' | 'regex'
    readonly line: unknown
    readonly code?: string
    readonly messages: Messages
  }

  /** A line for every error: a new error without a line does not compile. */
  const WRONG: Readonly<Record<keyof typeof inputEnglish.lines, WrongLine>> = {
    invalid_json: {
      command: 'logtest',
      line: '{"event": "a" "b"}',
      code: 'invalid_json',
      messages: [noJson('{"event": "a" "b"}'), `não é um JSON legível: ${noJson('{"event": "a" "b"}')}`],
    },
    line_too_long: {
      command: 'regex',
      line: 'x'.repeat(LINE_LIMIT + 1),
      code: 'line_too_long',
      messages: [`the line is longer than ${LINE_LIMIT} bytes`, `a linha tem mais de ${LINE_LIMIT} bytes`],
    },
    line_not_object: { command: 'logtest', line: [], messages: ['the line is not an object', 'a linha não é um objeto'] },
    event_not_object: { command: 'logtest', line: { events: ['a', 1] }, messages: ['event 2 is not an object', 'o evento 2 não é um objeto'] },
    file_not_object: { command: 'validate', line: { files: [1] }, messages: ['file 1 is not an object', 'o arquivo 1 não é um objeto'] },
    not_text: { command: 'logtest', line: { event: 'a', location: 1 }, messages: ['"location" is not a text', '"location" não é um texto'] },
    not_list: { command: 'validate', line: {}, messages: ['"files" is not a list', '"files" não é uma lista'] },
    not_choice: {
      command: 'regex',
      line: { engine: 'perl' },
      messages: ['"engine" must be one of osregex, osmatch, pcre2', '"engine" deve ser um destes: osregex, osmatch, pcre2'],
    },
    too_long: {
      command: 'logtest',
      line: { event: 'a', session_id: 'x'.repeat(129) },
      messages: ['"session_id" is longer than 128 characters', '"session_id" tem mais de 128 caracteres'],
    },
    line_event_not_text: { command: 'logtest', line: { event: 1 }, messages: ['"event" of the line is not a text', '"event" da linha não é um texto'] },
    event_not_text: { command: 'logtest', line: { events: [{}] }, messages: ['"event" of event 1 is not a text', '"event" do evento 1 não é um texto'] },
    events_missing: { command: 'logtest', line: {}, messages: ['the line has neither "event" nor "events"', 'a linha não tem "event" nem "events"'] },
    record_of_wazuh: {
      command: 'logtest',
      line: { timestamp: 'x', agent: { id: '001' }, manager: { name: 'm' }, decoder: {}, location: '/l', full_log: 'x' },
      messages: [
        'the line is a line of archives.json or alerts.json; --unwrap runs the log in it',
        'a linha é uma linha do archives.json ou do alerts.json; --unwrap executa o log que está nela',
      ],
    },
    record_without_log: {
      command: 'logtest',
      line: { timestamp: 'x', agent: { id: '001' }, manager: { name: 'm' }, decoder: { name: 'sshd' }, location: '/l', data: {} },
      messages: [
        'the line is a line of archives.json or alerts.json, and the log that arrived is not in it',
        'a linha é uma linha do archives.json ou do alerts.json, e o log que chegou não está nela',
      ],
    },
    events_both: { command: 'logtest', line: { event: 'a', events: [] }, messages: ['the line has both "event" and "events"', 'a linha tem "event" e "events" ao mesmo tempo'] },
    file_member_not_text: {
      command: 'validate',
      line: { files: [{ kind: 'rules', filename: 'a.xml' }] },
      messages: ['"content" of file 1 is not a text', '"content" do arquivo 1 não é um texto'],
    },
    file_kind: {
      command: 'validate',
      line: { files: [{ kind: 'rule' }] },
      messages: ['"kind" of file 1 must be one of rules, decoders, lists', '"kind" do arquivo 1 deve ser um destes: rules, decoders, lists'],
    },
    flags: {
      command: 'regex',
      line: { engine: 'pcre2', pattern: 'a', input: 'a', substrings: 1 },
      messages: ['"substrings" and "case_sensitive" must be true or false', '"substrings" e "case_sensitive" devem ser true ou false'],
    },
  }

  for (const [fault, { command, line, code = 'invalid_line', messages }] of Object.entries(WRONG)) {
    it(`is in both languages: ${fault}`, async () => {
      const stdin = typeof line === 'string' ? line : JSON.stringify(line)
      const ruleset = command === 'regex' ? [] : ['--ruleset', base]
      const answers = await inBoth(async (locale) => (await call([command, '--jsonl', ...ruleset, '--locale', locale], { stdin })).stdout)
      assert.deepEqual(
        answers.map((answer) => JSON.parse(answer)),
        messages.map((message) => ({ ok: false, error: { code, message, line: 1 } })),
      )
    })
  }
})

describe('the error of a case', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  after(() => workplace.remove())

  const one = (members: object): string => JSON.stringify({ cases: [members] })
  /** A file for every error: a new error without a file does not compile. */
  const WRONG: Readonly<Record<Exclude<keyof typeof inputEnglish.cases, 'name'>, { readonly content: string; readonly messages: Messages }>> = {
    line_unread: {
      content: 'what is this',
      messages: [
        'not a section, a comment or a key (log N pass, log N fail, rule, alert, decoder)',
        'não é uma seção, nem um comentário, nem uma chave (log N pass, log N fail, rule, alert, decoder)',
      ],
    },
    section_empty: {
      content: '[doors]\nrule = 901\n',
      messages: ['the section "doors" has no event and tests nothing', 'a seção "doors" não tem nenhum evento e não testa nada'],
    },
    not_json: {
      content: '{',
      messages: [`not JSON: ${noJson('{')}`, `não é JSON: ${noJson('{')}`],
    },
    list_missing: { content: '{}', messages: ['the file has no list "cases"', 'o arquivo não tem uma lista "cases"'] },
    clock_misplaced: {
      content: '; now = tomorrow\n',
      messages: [
        'the clock ("; now = …") must be an ISO time with a zone, such as 2026-01-05T22:30:00-03:00, above a section',
        'o relógio ("; now = …") deve ser uma hora ISO com fuso, como 2026-01-05T22:30:00-03:00, acima de uma seção',
      ],
    },
    not_time: {
      content: one({ now: '2026-01-05T22:30:00' }),
      messages: ['"now" is not an ISO time with a zone, such as 2026-01-05T22:30:00-03:00', '"now" não é uma hora ISO com fuso, como 2026-01-05T22:30:00-03:00'],
    },
    not_object: { content: '{"cases": [1]}', messages: ['the case is not an object', 'o caso não é um objeto'] },
    not_text: { content: one({ name: 1 }), messages: ['"name" is not a text', '"name" não é um texto'] },
    not_text_list: { content: one({ expected_rule_ids: [1] }), messages: ['"expected_rule_ids" is not a list of texts', '"expected_rule_ids" não é uma lista de textos'] },
    not_rule_id: {
      content: one({ expected_rule: 901 }),
      messages: ['"expected_rule" is not a text (rule ids are texts)', '"expected_rule" não é um texto (ids de regras são textos)'],
    },
    not_choice: {
      content: one({ log_format: 'x' }),
      messages: [`"log_format" is not one of ${LOG_FORMATS.join(', ')}`, `"log_format" não é um destes: ${LOG_FORMATS.join(', ')}`],
    },
    not_events: {
      content: one({ events: [1] }),
      messages: ['"events" is not a list of {"event_text", "at"?, "location"?}', '"events" não é uma lista de {"event_text", "at"?, "location"?}'],
    },
    not_number: { content: one({ expected_level: '7' }), messages: ['"expected_level" is not a number', '"expected_level" não é um número'] },
    not_flag: { content: one({ expect_no_rule: 'no' }), messages: ['"expect_no_rule" is not true or false', '"expect_no_rule" não é true nem false'] },
    not_fields: { content: one({ expected_fields: { a: 1 } }), messages: ['"expected_fields" is not an object of texts', '"expected_fields" não é um objeto de textos'] },
    name_missing: { content: one({ event_text: 'a' }), messages: ['the case has no "name"', 'o caso não tem "name"'] },
    member_unknown: { content: one({ name: 'a', expect_what_nobody_asks: 1 }), messages: ['a case has no "expect_what_nobody_asks"', 'um caso não tem "expect_what_nobody_asks"'] },
    member_misspelt: {
      content: one({ name: 'a', expected_rules: 1 }),
      messages: ['a case has no "expected_rules"; did you mean "expected_rule"?', 'um caso não tem "expected_rules"; você quis dizer "expected_rule"?'],
    },
    event_missing: { content: one({ name: 'a' }), messages: ['the case has neither "event_text" nor "events"', 'o caso não tem "event_text" nem "events"'] },
    events_both: {
      content: one({ name: 'a', event_text: 'a', events: [{ event_text: 'b' }] }),
      messages: ['the case has both "event_text" and "events"', 'o caso tem "event_text" e "events" ao mesmo tempo'],
    },
    events_backwards: {
      content: one({
        name: 'a',
        events: [
          { event_text: 'a', at: 2 },
          { event_text: 'b', at: 1 },
        ],
      }),
      messages: ['the seconds "at" of "events" decrease', 'os segundos "at" de "events" diminuem'],
    },
  }

  for (const [fault, { content, messages }] of Object.entries(WRONG)) {
    it(`is in both languages: ${fault}`, async () => {
      const file = workplace.write(`${fault}.ini`, content)
      const reports = await inBoth(async (locale) => (await call(['test', '--format', 'json', '--ruleset', base, '--locale', locale, file])).stdout)
      assert.deepEqual(
        reports.map((report) => (JSON.parse(report) as { results: { name: string; reason: string | null }[] }).results.map(({ name, reason }) => [name, reason])),
        [[['line 1', messages[0]]], [['linha 1', messages[1]]]],
      )
    })
  }

  it('and its expected and actual results are in both languages for CI too', async () => {
    const file = workplace.write('doors.json', one({ name: 'opened', event_text: OPENED, expected_level: 3 }))
    const [first, second] = await inBoth(async (locale) => (await call(['test', '--format', 'junit', '--ruleset', base, '--locale', locale, file])).stdout)
    assert.match(first, /message="Level: expected 3, got 7"/)
    assert.match(second, /message="Nível: esperado 3, obtido 7"/)
  })
})

describe('the progress of a benchmark', () => {
  const workplace = new Workplace()
  const base = workplace.ruleset()
  after(() => workplace.remove())

  it('is in both languages', async () => {
    const argv = ['bench', '-', '--json', '--profile', '--seconds', '0.05', '--ruleset', base]
    // After the control sequence that clears the line.
    const steps = (await inBoth(async (locale) => (await call([...argv, '--locale', locale], { stdin: OPENED, isTTY: true })).stderr)).map((shown) =>
      shown.split('\r\x1b[2K').filter((step) => step !== '' && !step.endsWith(' %')),
    )
    assert.deepEqual(steps, [
      ['warming up', 'throughput', 'stages', 'latency', 'compiling', 'profile'],
      ['aquecimento', 'eventos por segundo', 'etapas', 'latência', 'compilação', 'perfil'],
    ])
  })
})

const TABLE: OptionTable = {
  ...COMMON_OPTIONS,
  engine: { type: 'string', short: 'e', value: 'dialect' },
  quiet: { type: 'boolean', short: 'q' },
}
const word = fc.constantFrom(
  ...[
    '--locale',
    'pt-BR',
    'en-US',
    '--locale=pt-BR',
    '--locale=',
    '--locale=xx',
    '--no-locale',
    '--color',
    '--no-color',
    '--no-color=1',
    '--color=',
    '-h',
    '-hq',
    '-qe',
    '-ex',
    '-e=x',
  ],
  ...[
    '-e',
    '-q',
    '-x',
    '-',
    '--',
    '',
    'x',
    '--engine',
    '--engine=-x',
    '--no-engine',
    '--quiet',
    '--no-quiet',
    '--no-fuss',
    '--no-no-fuss',
    '--fuss',
    '--__proto__',
    '--no-',
    '--no',
    '---',
  ],
)

describe('arguments', () => {
  it('are refused exactly where strict Node refuses them, and parsed alike elsewhere', () => {
    const options = Object.fromEntries(Object.entries(TABLE).map(([name, { type, short }]) => [name, { type, ...(short === undefined ? {} : { short }) }]))
    const strictly = (args: string[]): object | null => {
      try {
        const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true, allowNegative: true })
        return { values: { ...values }, positionals }
      } catch {
        return null
      }
    }
    const ours = (argv: string[]): object | null => {
      try {
        const args = readArguments(TABLE, argv)
        // Without the check of choices, which Node lacks.
        const values = Object.keys(TABLE).map((name) => [name, args.choice(name) ?? (name === 'locale' ? undefined : args.text(name)) ?? undefined])
        return { values: Object.fromEntries(values.filter(([, value]) => value !== undefined)), positionals: args.operands }
      } catch (fault) {
        assert.ok(fault instanceof UsageError)
        return null
      }
    }
    const withoutLocale = (read: object | null): object | null => (read === null ? null : { ...read, values: { ...(read as { values: object }).values, locale: undefined } })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (argv) => {
        assert.deepEqual(withoutLocale(ours(argv)), withoutLocale(strictly(argv)))
      }),
      { numRuns: 3000 },
    )
  })

  it('include the language that was found before they were parsed', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (argv) => {
        let said: string | null
        try {
          said = readArguments(TABLE, argv).text('locale')
        } catch {
          return
        }
        assert.equal(languageOf(argv, {}), said ?? 'en-US')
      }),
      { numRuns: 3000 },
    )
  })
})
