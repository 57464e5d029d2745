/** Merges of small repositories: what changes in the files, and what does not. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { composeFiles, type MergeAnswer, mergeFiles, type MergeRequest, type RepositoryFile } from '#engine'

const LISTS = { folder: 'etc/lists', prefix: 'etc/lists/' }
const RULES = 'rules/local_rules.xml'
const DECODERS = 'decoders/local_decoder.xml'

const rules = (path: string, content: string): RepositoryFile => ({ path: `rules/${path}`, kind: 'rules', content })
const decoders = (path: string, content: string): RepositoryFile => ({ path: `decoders/${path}`, kind: 'decoders', content })
const list = (path: string, content: string): RepositoryFile => ({ path: `etc/lists/${path}`, kind: 'lists', content })

interface Edit {
  readonly base?: readonly RepositoryFile[]
  readonly theirs?: readonly RepositoryFile[]
  readonly resolutions?: MergeRequest['resolutions']
  readonly rules?: (text: string) => string
  readonly decoders?: (text: string) => string
  readonly lists?: (lists: MergeRequest['ours']['lists']) => MergeRequest['ours']['lists']
}

/** Merges the files as composed, with edits of the content. Without `theirs`, nobody else changed the repository. */
function merge(base: readonly RepositoryFile[], edit: Edit = {}): MergeAnswer {
  const composed = composeFiles(base, LISTS)
  return mergeFiles({
    base: edit.base ?? base,
    ours: {
      rules_xml: (edit.rules ?? ((text) => text))(composed.rules_xml),
      decoders_xml: (edit.decoders ?? ((text) => text))(composed.decoders_xml),
      lists: (edit.lists ?? ((lists) => lists))(composed.lists),
    },
    theirs: edit.theirs ?? base,
    newItems: { rules: RULES, decoders: DECODERS, listsFolder: 'etc/lists' },
    lists: LISTS,
    resolutions: edit.resolutions ?? [],
  })
}

function textAt({ files }: MergeAnswer, path: string): string {
  const file = files.find((one) => one.path === path)
  assert.ok(file, `no file ${path}`)
  return file.content
}

const A = rules(
  'a.xml',
  `<!-- Rules of the application A -->
<group name="a,">

  <!-- Logins -->
  <rule id="100" level="3">
    <match>login</match>
    <description>Login</description>
  </rule>

  <rule id="101" level="5">
    <if_sid>100</if_sid>
    <match>root</match>
    <description>Login of root</description>
  </rule>

</group>
`,
)
const B = rules('b.xml', `<group name="b,">\r\n\t<rule id="200" level="3">\r\n\t\t<match>b</match>\r\n\t\t<description>B</description>\r\n\t</rule>\r\n</group>`)

describe('a merge by rule', () => {
  test('changes nothing when ours changes nothing', () => {
    const { files, changedPaths, changes, conflicts } = merge([A, B])
    assert.deepEqual({ files, changedPaths, changes, conflicts }, { files: [A, B], changedPaths: [], changes: [], conflicts: [] })
  })

  test('changes nothing when ours was reformatted and reordered', () => {
    const flat = (text: string): string => {
      const rules = [...text.matchAll(/<rule[\s\S]*?<\/rule>/g)].map(([rule]) => rule.replaceAll(/\s*\n\s*/g, ''))
      return `<group name="b,">${rules[2]}</group>\n<group name='a,'>${rules[1]}\n${rules[0]}</group>`
    }
    assert.deepEqual(merge([A, B], { rules: flat }).changedPaths, [])
  })

  test('changes only the lines of the rule', () => {
    const answer = merge([A, B], { rules: (text) => text.replace('level="5"', 'level="7"') })
    assert.equal(textAt(answer, 'rules/a.xml'), A.content.replace('level="5"', 'level="7"'))
    assert.deepEqual(answer.changedPaths, ['rules/a.xml'])
    assert.deepEqual(answer.changes, [{ kind: 'rule', name: '101', change: 'changed', path: 'rules/a.xml' }])
  })

  test('writes the line ends and the indentation of the file', () => {
    const answer = merge([A, B], { rules: () => `<group name="b,">\n<rule id="200" level="9">\n  <match>b</match>\n</rule>\n</group>${A.content}` })
    assert.equal(textAt(answer, 'rules/b.xml'), '<group name="b,">\r\n\t<rule id="200" level="9">\r\n\t  <match>b</match>\r\n\t</rule>\r\n</group>')
    assert.deepEqual(answer.changedPaths, ['rules/b.xml'])
  })

  test('counts white space in the text of a tag as a change', () => {
    const answer = merge([A], { rules: (text) => text.replace('<match>root</match>', '<match>root </match>') })
    assert.equal(textAt(answer, 'rules/a.xml'), A.content.replace('<match>root</match>', '<match>root </match>'))
  })

  test('removes a rule with its lines', () => {
    const answer = merge([A, B], { rules: (text) => text.replace(/ {2}<rule id="101"[\s\S]*?<\/rule>\n/, '') })
    assert.equal(textAt(answer, 'rules/a.xml'), A.content.replace(/ {2}<rule id="101"[\s\S]*?<\/rule>\n\n/, ''))
    assert.deepEqual(answer.changes, [{ kind: 'rule', name: '101', change: 'removed', path: 'rules/a.xml' }])
  })

  test('deletes a file without rules', () => {
    const answer = merge([A, B], { rules: () => A.content })
    assert.deepEqual([answer.files, answer.changedPaths], [[A], ['rules/b.xml']])
  })

  test('removes the group of its last rule, but not one with a comment', () => {
    const two = rules(
      'c.xml',
      `<group name="one,">\n  <rule id="1" level="1"/>\n</group>\n\n<group name="two,">\n  <!-- Kept -->\n  <rule id="2" level="1"/>\n</group>\n\n<group name="three,">\n  <rule id="3" level="1"/>\n</group>\n`,
    )
    const answer = merge([two], { rules: () => '<group name="three,"><rule id="3" level="1"/></group>' })
    assert.equal(textAt(answer, 'rules/c.xml'), '\n<group name="two,">\n  <!-- Kept -->\n</group>\n\n<group name="three,">\n  <rule id="3" level="1"/>\n</group>\n')
  })

  test('adds a rule to the file for new rules', () => {
    const added = (text: string): string =>
      `${text}\n<group name="new,">\n    <rule id="300" level="3">\n        <match>new</match>\n    </rule>\n    <rule id="301" level="3"/>\n</group>\n`
    const answer = merge([A, B], { rules: added })
    assert.equal(textAt(answer, RULES), '<group name="new,">\n  <rule id="300" level="3">\n      <match>new</match>\n  </rule>\n\n  <rule id="301" level="3"/>\n</group>\n')
    assert.deepEqual(answer.changedPaths, [RULES])
    const again = merge(answer.files, { rules: (text) => text.replace('<rule id="301"', '<rule id="302" level="4"/>\n  <rule id="301"') })
    assert.equal(
      textAt(again, RULES),
      '<group name="new,">\n  <rule id="300" level="3">\n      <match>new</match>\n  </rule>\n\n  <rule id="301" level="3"/>\n\n  <rule id="302" level="4"/>\n</group>\n',
    )
  })

  test('overwrites no file of another kind with new rules or lists', () => {
    const others = [decoders('d.xml', '<decoder name="d"/>'), { ...decoders('', '<decoder name="e"/>'), path: RULES }, { ...A, path: 'etc/lists/a.xml' }]
    const answer = merge([...others], {
      rules: (text) => `${text}<group name="n,"><rule id="300" level="1"/></group>`,
      lists: (lists) => [...lists, { name: 'etc/lists/a.xml', content: 'k:v\n' }],
    })
    assert.deepEqual(answer.changedPaths, ['rules/local_rules-2.xml'])
    for (const file of others) assert.equal(textAt(answer, file.path), file.content)
    assert.deepEqual(answer.content.lists, [{ name: 'etc/lists/a.xml', content: 'k:v\n' }])
  })

  test('edits the tag of a group whose rules all moved', () => {
    const answer = merge([A, B], { rules: (text) => text.replace('name="a,"', 'name="a,web,"') })
    assert.equal(textAt(answer, 'rules/a.xml'), A.content.replace('name="a,"', 'name="a,web,"'))
  })

  test('moves a rule into a group of its new tag in the same file', () => {
    const moved = (text: string): string => text.replace('\n  <rule id="101"', '</group>\n<group name="web,">\n  <rule id="101"')
    const answer = merge([A, B], { rules: moved })
    assert.equal(
      textAt(answer, 'rules/a.xml'),
      `${A.content.replace(/ {2}<rule id="101"[\s\S]*?<\/rule>\n\n/, '')}\n<group name="web,">\n${/ {2}<rule id="101"[\s\S]*?<\/rule>\n/.exec(A.content)?.[0]}</group>\n`,
    )
    assert.deepEqual(answer.changedPaths, ['rules/a.xml'])
  })

  test('moves the first rule of a group without its others', () => {
    const answer = merge([A], { rules: (text) => text.replace('name="a,"', 'name="web,"').replace('\n  <rule id="101"', '</group>\n<group name="a,">\n  <rule id="101"') })
    const merged = textAt(answer, 'rules/a.xml')
    assert.match(merged, /<group name="a,">[\s\S]*<rule id="101"[\s\S]*<group name="web,">\n {2}<rule id="100"/)
  })

  test('compares texts of more than one line without their line ends, but with their white space', () => {
    const lines = rules('l.xml', '<group name="l,">\r\n<rule id="1" level="1">\r\n<mitre> x <id>T1</id>\r\n</mitre><match>a\r\n b</match></rule></group>')
    assert.deepEqual([merge([lines]).changedPaths, merge([lines]).changes], [[], []])
    for (const [from, to] of [
      ['a\r\n b', 'a\r\nb'],
      [' x ', 'x'],
    ]) {
      assert.equal(textAt(merge([lines], { rules: (text) => text.replace(from, to) }), 'rules/l.xml'), lines.content.replace(from, to))
    }
  })

  test('compares comments in a rule without their indentation', () => {
    const noted = rules('n.xml', '<group name="n,">\n  <rule id="1" level="1">\n    <!-- one\n      two -->\n    <match>a</match>\n  </rule>\n</group>\n')
    const { changedPaths, changes } = merge([noted], { rules: (text) => text.replaceAll(/^ +/gm, '\t') })
    assert.deepEqual([changedPaths, changes], [[], []])
    assert.deepEqual(merge([noted], { rules: (text) => text.replace('two', 'three') }).changedPaths, ['rules/n.xml'])
  })

  test('composes files that do not end their last line', () => {
    assert.equal(merge([B, A, rules('c.xml', 'text'), rules('d.xml', '\ufefftext')]).content.rules_xml, `${A.content}${B.content}\r\ntext\ntext`)
  })

  test('keeps the changes of both sides', () => {
    const theirs = { ...A, content: A.content.replace('level="3"', 'level="4"') }
    const answer = merge([A, B], { theirs: [theirs, B], rules: (text) => text.replace('level="5"', 'level="7"') })
    assert.equal(textAt(answer, 'rules/a.xml'), theirs.content.replace('level="5"', 'level="7"'))
    assert.deepEqual(answer.conflicts, [])
    assert.equal(answer.content.rules_xml, `${textAt(answer, 'rules/a.xml')}${B.content}`)
  })

  test('keeps a change of the group and a change of the text', () => {
    const theirs = { ...A, content: A.content.replace('name="a,"', 'name="z,"') }
    const answer = merge([A], { theirs: [theirs], rules: (text) => text.replace('level="5"', 'level="7"') })
    assert.equal(textAt(answer, 'rules/a.xml'), theirs.content.replace('level="5"', 'level="7"'))
  })

  test('follows a file that was renamed', () => {
    const answer = merge([A, B], { theirs: [{ ...A, path: 'rules/z.xml' }, B], rules: (text) => text.replace('level="5"', 'level="7"') })
    assert.equal(textAt(answer, 'rules/z.xml'), A.content.replace('level="5"', 'level="7"'))
  })
})

describe('a conflict', () => {
  const theirs = [{ ...A, content: A.content.replace('level="5"', 'level="6"') }]
  const ours = (text: string): string => text.replace('level="5"', 'level="7"')

  test('names the rule with its three texts, and leaves the rule of theirs', () => {
    const answer = merge([A], { theirs, rules: ours })
    assert.deepEqual([answer.files, answer.changedPaths], [theirs, []])
    const [conflict, ...others] = answer.conflicts
    assert.deepEqual(others, [])
    assert.deepEqual({ kind: conflict.kind, name: conflict.name, path: conflict.path }, { kind: 'rule', name: '101', path: 'rules/a.xml' })
    assert.deepEqual(
      [conflict.base, conflict.ours, conflict.theirs].map((text) => text?.match(/level="(\d+)"/)?.[1]),
      ['5', '7', '6'],
    )
  })

  test('is decided by a resolution', () => {
    const decided = (take: 'ours' | 'theirs'): MergeAnswer => merge([A], { theirs, rules: ours, resolutions: [{ kind: 'rule', name: '101', take }] })
    assert.deepEqual([decided('theirs').conflicts, decided('theirs').changedPaths], [[], []])
    assert.deepEqual(decided('ours').conflicts, [])
    assert.equal(textAt(decided('ours'), 'rules/a.xml'), A.content.replace('level="5"', 'level="7"'))
  })

  test('is none if both made the same change', () => {
    const answer = merge([A], { theirs: [{ ...A, content: ours(A.content) }], rules: ours })
    assert.deepEqual([answer.conflicts, answer.changedPaths], [[], []])
  })

  test('is there if one removed what the other changed', () => {
    const without = (text: string): string => text.replace(/ {2}<rule id="101"[\s\S]*?<\/rule>\n/, '')
    assert.equal(merge([A], { theirs, rules: without }).conflicts[0].ours, null)
    const removed = merge([A], { theirs: [{ ...A, content: without(A.content) }], rules: ours })
    assert.deepEqual([removed.conflicts[0].theirs, removed.conflicts[0].path], [null, 'rules/a.xml'])
    const again = merge([A], { theirs: [{ ...A, content: without(A.content) }], rules: ours, resolutions: [{ kind: 'rule', name: '101', take: 'ours' }] })
    assert.match(textAt(again, 'rules/a.xml'), /<rule id="101" level="7">/)
  })

  test('is there if both added an item without a base', () => {
    const answer = merge([A, B], { base: [], theirs: [A, B], rules: ours })
    assert.deepEqual(
      answer.conflicts.map(({ name, base }) => [name, base]),
      [['101', null]],
    )
    assert.deepEqual(merge([A], { base: [], theirs: [A, B] }).files, [A, B])
  })
})

describe('rules of one id', () => {
  const twice = [A, rules('z.xml', '<group name="a,">\n  <rule id="101" level="9" overwrite="yes">\n    <match>z</match>\n  </rule>\n</group>\n')]

  test('are changed one by one', () => {
    const answer = merge(twice, { rules: (text) => text.replace('level="9"', 'level="10"') })
    assert.deepEqual(answer.changedPaths, ['rules/z.xml'])
    const theirs = [{ ...A, content: A.content.replace('level="5"', 'level="6"') }, twice[1]]
    const both = merge(twice, { theirs, rules: (text) => text.replace('level="9"', 'level="10"') })
    assert.deepEqual([both.conflicts, both.changedPaths], [[], ['rules/z.xml']])
  })

  test('are added after the one before', () => {
    const answer = merge([A], { rules: (text) => text.replace('</group>', '  <rule id="101" level="8" overwrite="yes"/>\n</group>') })
    assert.equal(textAt(answer, 'rules/a.xml'), A.content.replace('  </rule>\n\n</group>', '  </rule>\n\n  <rule id="101" level="8" overwrite="yes"/>\n\n</group>'))
  })
})

describe('decoders of one name', () => {
  const D = decoders(
    'd.xml',
    '<decoder name="d">\n  <prematch>d</prematch>\n</decoder>\n\n<decoder name="d-child">\n  <parent>d</parent>\n  <regex>a (\\d+)</regex>\n  <order>id</order>\n</decoder>\n\n<decoder name="d-child">\n  <parent>d</parent>\n  <regex>b (\\d+)</regex>\n  <order>url</order>\n</decoder>\n',
  )
  const E = decoders('e.xml', '<decoder name="d-child">\n  <parent>d</parent>\n  <regex>e (\\d+)</regex>\n  <order>data</order>\n</decoder>\n')

  test('change in the file that has them', () => {
    const answer = merge([D, E], { decoders: (text) => text.replace('<regex>e', '<regex>f') })
    assert.deepEqual(answer.changedPaths, ['decoders/e.xml'])
    assert.equal(textAt(answer, 'decoders/e.xml'), E.content.replace('<regex>e', '<regex>f'))
  })

  test('get a new one where it is', () => {
    const added = '<decoder name="d-child">\n  <parent>d</parent>\n  <regex>new (\\d+)</regex>\n</decoder>\n\n'
    const at = D.content.lastIndexOf('<decoder')
    const answer = merge([D, E], { decoders: (text) => text.slice(0, at) + added + text.slice(at) })
    assert.equal(textAt(answer, 'decoders/d.xml'), D.content.slice(0, at) + added + D.content.slice(at))
  })

  test('get the order of ours', () => {
    const [first, second] = [...D.content.matchAll(/<decoder name="d-child">[\s\S]*?<\/decoder>/g)].map(([text]) => text)
    const swap = (text: string): string => text.replace(first, '#').replace(second, first).replace('#', second)
    assert.deepEqual(
      [...textAt(merge([D, E], { decoders: swap }), 'decoders/d.xml').matchAll(/<regex>(\w)/g)].map(([, letter]) => letter),
      ['b', 'a'],
    )
  })

  test('keep the changes of both sides to different ones', () => {
    const theirs = [{ ...D, content: D.content.replace('<regex>a', '<regex>z') }, E]
    const answer = merge([D, E], { theirs, decoders: (text) => text.replace('<regex>e', '<regex>f') })
    assert.deepEqual([answer.conflicts, answer.changedPaths], [[], ['decoders/e.xml']])
    assert.equal(answer.content.decoders_xml, `${theirs[0].content}${E.content.replace('<regex>e', '<regex>f')}`)
  })

  const SIBLING = '<decoder name="d-child">\n  <parent>d</parent>\n  <regex>new (\\d+)</regex>\n</decoder>\n'

  test('keep a change of one side and an addition of the other', () => {
    const theirs = [D, { ...E, content: `${E.content}\n${SIBLING}` }]
    const answer = merge([D, E], { theirs, decoders: (text) => text.replace('<regex>b', '<regex>c') })
    assert.deepEqual([answer.conflicts, answer.changedPaths], [[], ['decoders/d.xml']])
    assert.equal(textAt(answer, 'decoders/d.xml'), D.content.replace('<regex>b', '<regex>c'))
    const added = merge([D, E], { theirs: [{ ...D, content: D.content.replace('<regex>a', '<regex>z') }, E], decoders: (text) => `${text}\n${SIBLING}` })
    assert.deepEqual([added.conflicts, added.changedPaths], [[], ['decoders/e.xml']])
    assert.equal(textAt(added, 'decoders/e.xml'), `${E.content.trimEnd()}\n${SIBLING}`)
    const removed = merge([D, E], { theirs, decoders: (text) => text.replace(/<decoder name="d-child">\n {2}<parent>d<\/parent>\n {2}<regex>a[\s\S]*?<\/decoder>\n\n/, '') })
    assert.deepEqual([removed.conflicts, removed.changedPaths], [[], ['decoders/d.xml']])
    assert.deepEqual(
      [...removed.content.decoders_xml.matchAll(/<regex>(\w+)/g)].map(([, first]) => first),
      ['b', 'e', 'new'],
    )
  })

  test('are a conflict if both changed the same one, or both added one at the same place', () => {
    const changed = merge([D, E], { theirs: [{ ...D, content: D.content.replace('<regex>a', '<regex>z') }, E], decoders: (text) => text.replace('<regex>a', '<regex>y') })
    const added = merge([D, E], { theirs: [D, { ...E, content: `${E.content}\n${SIBLING}` }], decoders: (text) => `${text}\n${SIBLING.replace('new', 'other')}` })
    for (const { conflicts, changedPaths } of [changed, added]) assert.deepEqual([conflicts.map(({ kind, name }) => [kind, name]), changedPaths], [[['decoder', 'd-child']], []])
    assert.match(added.conflicts[0].theirs ?? '', /<regex>a[\s\S]*<regex>b[\s\S]*<regex>e[\s\S]*<regex>new/)
  })

  test('are added at the end of the file for new decoders', () => {
    const answer = merge([D], { decoders: (text) => `${text}<decoder name="new"><prematch>n</prematch></decoder>` })
    assert.equal(textAt(answer, DECODERS), '<decoder name="new"><prematch>n</prematch></decoder>\n')
  })
})

describe('variables', () => {
  const V = rules('v.xml', '<var name="PORT">22</var>\n\n<group name="v,">\n  <rule id="1" level="1"><match>$PORT</match></rule>\n</group>\n')

  test('change in their file', () => {
    const answer = merge([A, V], { rules: (text) => text.replace('>22<', '>23<') })
    assert.deepEqual(answer.changedPaths, ['rules/v.xml'])
    assert.equal(textAt(answer, 'rules/v.xml'), V.content.replace('>22<', '>23<'))
  })

  test('change in all files that define them, if ours changes the definition that counts', () => {
    const other = rules('w.xml', '<var name="PORT">22</var>\n<group name="w,"><rule id="2" level="1"><match>$PORT</match></rule></group>\n')
    const answer = merge([V, other], { rules: (text) => text.replace('>22<', '>23<') })
    assert.deepEqual([textAt(answer, 'rules/v.xml'), textAt(answer, 'rules/w.xml')], [V.content.replace('>22<', '>23<'), other.content.replace('>22<', '>23<')])
    assert.deepEqual(answer.variableClashes, [])
    const second = (text: string): string => text.replace(other.content, other.content.replace('>22<', '>24<'))
    assert.deepEqual(merge([V, other], { rules: second }).changedPaths, [])
    const theirs = [V, { ...other, content: other.content.replace('>22<', '>25<') }]
    assert.deepEqual(
      merge([V, other], { theirs, rules: (text) => text.replace('>22<', '>23<') }).conflicts.map(({ kind, name }) => [kind, name]),
      [['variable', 'PORT']],
    )
  })

  test('are defined in the file of the rule that needs them', () => {
    const used = (text: string): string => `<var name="USER">root</var>\n${text.replace('<match>root</match>', '<match>$USER</match>')}`
    const answer = merge([A, V], { rules: used })
    assert.deepEqual(answer.changedPaths, ['rules/a.xml'])
    assert.equal(textAt(answer, 'rules/a.xml'), A.content.replace('<group', '<var name="USER">root</var>\n<group').replace('<match>root</match>', '<match>$USER</match>'))
    assert.deepEqual(answer.changes, [
      { kind: 'rule', name: '101', change: 'changed', path: 'rules/a.xml' },
      { kind: 'variable', name: 'USER', change: 'added', path: 'rules/a.xml' },
    ])
  })

  test('stay where something needs them', () => {
    const answer = merge([V], { rules: (text) => text.replace('<var name="PORT">22</var>\n', '') })
    assert.deepEqual(answer.changedPaths, [])
  })

  test('with different values in two files are named', () => {
    const other = rules('w.xml', '<var name="port">23</var>\n<group name="w,"><rule id="2" level="1"/></group>')
    assert.deepEqual(merge([V, other]).variableClashes, [{ name: 'PORT', paths: ['rules/v.xml', 'rules/w.xml'] }])
    assert.deepEqual(merge([V, { ...other, content: other.content.replace('23', '22') }]).variableClashes, [])
  })
})

describe('lists', () => {
  const L = list('keys', 'a:1\r\nb:2\r\n')

  test('are merged as a whole', () => {
    assert.deepEqual(merge([L]).changedPaths, [])
    const answer = merge([L], { lists: (lists) => lists.map(({ name }) => ({ name, content: 'a:1\nb:3\n' })) })
    assert.equal(textAt(answer, 'etc/lists/keys'), 'a:1\r\nb:3\r\n')
    assert.deepEqual(answer.changes, [{ kind: 'list', name: 'etc/lists/keys', change: 'changed', path: 'etc/lists/keys' }])
    assert.deepEqual(merge([L], { lists: () => [] }).files, [])
    assert.deepEqual(merge([L], { theirs: [{ ...L, content: 'c:1' }] }).conflicts, [])
    assert.deepEqual(
      merge([L], { theirs: [{ ...L, content: 'c:1' }], lists: () => [] }).conflicts.map(({ kind, name, ours }) => [kind, name, ours]),
      [['list', 'etc/lists/keys', null]],
    )
  })

  test('are added below the folder, and stay in the content if they have no file', () => {
    const added = [
      { name: 'etc/lists/sub/new', content: 'n:' },
      { name: 'other/list', content: 'o:' },
      { name: 'etc/lists/../x', content: 'x:' },
    ]
    const answer = merge([L], { lists: (lists) => [...lists, ...added] })
    assert.deepEqual(answer.changedPaths, ['etc/lists/sub/new'])
    assert.deepEqual(
      answer.content.lists.map(({ name }) => name),
      ['etc/lists/../x', 'etc/lists/keys', 'etc/lists/sub/new', 'other/list'],
    )
  })
})
