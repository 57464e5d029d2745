import type { AuditVerdict, Effect, EngineEffect, FileKind, LogFormat, MergeItemKind, Severity } from '#engine'
import type { FolderRefusalCode, LeftOutFile } from '../../folder-api.js'
import type { RefusalCode } from '../../worker/protocol.js'
import type { CodeCommand } from '../editor/code-keys.js'
import type { HomeFault } from '../model/home.js'
import type { ImportFault } from '../model/import.js'
import type { GateState } from '../model/service-records.js'
import type { ViewName } from '../model/state.js'

export interface Texts {
  readonly title: string
  readonly language: string
  readonly tagline: string
  readonly privacy: { readonly short: string; readonly long: string }
  readonly theme: { readonly label: string; readonly light: string; readonly dark: string; readonly auto: string }
  readonly actions: Readonly<Record<'share' | 'import' | 'export' | 'keys' | 'startAnew' | 'more' | 'close' | 'undo' | 'copy' | 'copied' | 'cancel', string>>
  readonly parts: Readonly<Record<'label' | 'content' | 'events' | 'answer', string>>
  readonly base: {
    readonly label: string
    readonly reference: string
    readonly none: string
    readonly own: (name: string) => string
    readonly rules: (count: string) => string
    readonly choose: string
    readonly drop: string
  }
  readonly kinds: Readonly<Record<FileKind, string>>
  readonly files: {
    readonly label: string
    readonly add: string
    readonly actions: string
    readonly rename: string
    readonly newName: string
    readonly nameTaken: string
    readonly remove: string
    readonly empty: string
    readonly editor: (name: string) => string
    readonly readOnly: string
    readonly back: string
    readonly override: (id: string) => string
    readonly splitter: string
    readonly graph: string
    readonly graphAtCursor: string
  }
  readonly problems: {
    readonly none: string
    readonly count: (count: number) => string
    readonly errors: (count: number) => string
    readonly label: string
    readonly line: (line: number) => string
    readonly fix: (change: string) => string
    readonly more: (count: number) => string
    readonly refuses: string
    readonly effect: string
    readonly replaceWith: (text: string) => string
    readonly insert: (text: string) => string
    readonly remove: (text: string) => string
    readonly change: (places: number) => string
    readonly explain: string
    readonly attack: string
    readonly attackSearching: string
    readonly attackAlone: string
  }
  readonly severities: Readonly<Record<Severity, string>>
  readonly effects: Readonly<Record<EngineEffect, string>>
  readonly events: {
    readonly label: string
    readonly add: string
    readonly addHint: string
    readonly addButton: string
    readonly empty: string
    readonly columns: Readonly<Record<'event' | 'decoder' | 'rule' | 'level' | 'fields' | 'outcome' | 'time', string>>
    readonly noRule: string
    readonly noDecoder: string
    readonly met: string
    readonly unmet: (expected: string) => string
    readonly session: string
    readonly sessionHelp: string
    readonly clock: string
    readonly clockMachine: string
    readonly clockInvalid: string
    readonly clear: string
    readonly remove: string
    readonly again: (seconds: number) => string
    readonly seconds: string
    readonly after: (seconds: string) => string
  }
  readonly event: {
    readonly label: string
    readonly format: string
    readonly formats: Readonly<Record<LogFormat, string>>
    readonly location: string
    readonly wait: string
    readonly expected: string
    readonly expectedHint: string
    readonly expectThis: string
    readonly inside: string
    readonly useInside: string
  }
  readonly answer: {
    readonly label: string
    readonly none: string
    readonly waiting: string
    readonly notLoaded: string
    readonly refused: string
    readonly noRule: string
    readonly noRuleHelp: string
    readonly alert: string
    readonly noAlert: string
    readonly fired: (times: number) => string
    readonly hints: string
    readonly groups: string
    readonly moreGroups: (count: number) => string
    readonly saveCase: string
    readonly saveCaseAs: string
    readonly saveIni: string
  }
  readonly why: Readonly<Record<'title' | 'help' | 'rule' | 'show', string>>
  readonly views: Readonly<Record<'title' | 'open' | ViewName | 'file' | 'waiting' | 'missing', string>> & { readonly group: (name: string) => string }
  readonly audit: Readonly<Record<'notLoaded' | 'nothing' | 'stop' | 'goOn' | 'legend', string>> & {
    readonly judging: (done: number, total: number) => string
    readonly judged: (done: number, total: number) => string
    readonly more: (count: number) => string
    readonly verdicts: Readonly<Record<AuditVerdict, string>>
    readonly meanings: Readonly<Record<AuditVerdict, string>>
    readonly cell: (id: string, verdict: string) => string
    readonly rule: (id: string, level: number) => string
    readonly takers: (ids: string) => string
    readonly onlyIf: (condition: string) => string
    readonly witness: (events: number) => string
  }
  /** What the cases are worth. */
  readonly caseGrade: Readonly<Record<'what' | 'begin' | 'again' | 'notLoaded' | 'nothing' | 'old' | 'add' | 'added', string>> & {
    readonly grading: (done: number, total: number | null) => string
    readonly failed: (count: number) => string
    readonly score: (percent: number) => string
    readonly counts: (killed: number, survived: number, unknown: number, equivalent: number) => string
    readonly untried: (count: number) => string
    /** @param rule null: no rule */
    readonly killer: (rule: string | null) => string
  }
  readonly differences: Readonly<Record<'withOpened' | 'searching' | 'refused' | 'again' | 'notLoaded' | 'nothing' | 'incomplete' | 'show', string>> & {
    readonly withHome: (name: string) => string
    readonly alerts: (lost: number, gained: number, changed: number) => string
    readonly others: (proven: number, searched: number, unknown: number) => string
    readonly more: (count: number) => string
    readonly effects: Readonly<Record<Effect, string>>
    readonly rule: (id: string) => string
    readonly decoder: (name: string) => string
    readonly answer: (id: string, level: number) => string
    readonly onlyDecoded: (name: string) => string
    readonly answers: (before: string, after: string) => string
    readonly lastOf: (count: number) => string
    readonly likewise: (names: string, more: number) => string
    readonly lostField: (name: string, renamed: string | null, readers: string) => string
    readonly added: (count: number) => string
  }
  readonly cases: {
    readonly label: string
    readonly empty: string
    readonly passed: string
    readonly failed: string
    readonly waiting: string
    readonly summary: (passed: number, total: number) => string
    readonly name: string
    readonly open: string
    readonly remove: string
    readonly noRule: string
    readonly check: (label: string, expected: string, actual: string) => string
    readonly clock: string
  }
  readonly share: {
    readonly title: string
    readonly help: string
    readonly events: (count: number) => string
    readonly replace: string
    readonly replaceHelp: string
    readonly nothingFound: string
    readonly tooLong: (length: string, limit: string) => string
    readonly length: (length: string) => string
    readonly link: string
  }
  readonly link: { readonly text: string; readonly keep: string; readonly own: string; readonly invalid: string }
  /** Where the content lives. */
  readonly home: {
    readonly saveCount: (count: number) => string
    readonly allSaved: string
    readonly unsaved: string
    readonly others: string
    readonly othersConflict: string
    readonly othersCases: (names: readonly string[]) => string
    readonly removed: (name: string) => string
    readonly cases: string
    readonly saved: (name: string) => string
    readonly notSaved: (name: string, reason: string) => string
    readonly readOnly: string
    readonly fileReadOnly: string
    readonly leave: string
    readonly leftOut: (count: number) => string
    readonly leftOutReasons: Readonly<Record<LeftOutFile['reason'], string>>
    readonly conflicts: (count: number) => string
    readonly decide: string
    readonly faults: Readonly<Record<HomeFault, string>>
    readonly refusals: Readonly<Record<FolderRefusalCode | 'unreachable', string>>
    readonly privacy: { readonly short: string; readonly long: (name: string) => string }
  }
  /** Content of the service from which the page came. */
  readonly service: {
    readonly open: string
    readonly title: string
    readonly asking: string
    readonly signInHelp: string
    readonly credential: string
    readonly keep: string
    readonly keepHelp: string
    readonly signIn: string
    readonly signOut: string
    readonly organization: string
    readonly search: string
    readonly noProjects: string
    readonly counts: (cases: number, workspaces: number) => string
    readonly itself: string
    readonly workspace: (name: string) => string
    readonly unreachable: string
    readonly leave: string
    readonly otherBase: string
    readonly otherBaseHelp: string
    readonly gate: Readonly<Record<GateState, (score: number, failed: number) => string>>
    readonly report: string
    readonly compare: string
    readonly comparing: string
    readonly impact: (improved: number, regressed: number, score: number) => string
  }
  /** Files that were changed here and where the content lives. */
  readonly merge: {
    readonly title: (name: string) => string
    readonly merging: string
    readonly nothingToDecide: string
    readonly help: (count: number) => string
    /** @param more how many are not listed */
    readonly kept: (names: string, more: number) => string
    readonly item: (kind: MergeItemKind, name: string) => string
    readonly onDisk: string
    readonly inService: string
    readonly mine: string
    readonly editable: string
    readonly removed: string
    readonly absent: string
    readonly before: string
    readonly gone: string
    readonly removeHere: string
    readonly keepMine: string
    readonly use: string
  }
  readonly import: {
    readonly title: string
    readonly help: string
    readonly files: string
    readonly folder: string
    readonly dropHere: string
    readonly found: (rules: number, decoders: number, lists: number, cases: number) => string
    readonly skipped: (count: number) => string
    readonly unread: (count: number) => string
    readonly asContent: string
    readonly asContentHelp: (count: number) => string
    readonly asBase: string
    readonly asBaseHelp: string
    readonly remember: string
    readonly rememberHelp: string
    readonly use: string
    readonly faults: Readonly<Record<ImportFault, string>>
  }
  readonly code: Readonly<
    Record<
      | 'label'
      | 'outline'
      | 'outlineHint'
      | 'definition'
      | 'definitions'
      | 'uses'
      | 'usesTitle'
      | 'rename'
      | 'format'
      | 'help'
      | 'newName'
      | 'renameButton'
      | 'filterHint'
      | 'nothing'
      | 'noName'
      | 'noUses'
      | 'noAnswer'
      | 'notFormatted'
      | 'changedSince'
      | 'readOnly',
      string
    >
  > & {
    readonly renameTitle: (name: string) => string
    readonly renamed: (from: string, to: string, files: number) => string
  }
  readonly keys: { readonly title: string; readonly rows: Readonly<Record<ShortcutName, string>>; readonly note: string }
  readonly notices: {
    readonly fileDeleted: (name: string) => string
    readonly eventDeleted: string
    readonly eventsDeleted: string
    readonly eventsCut: (limit: number) => string
    readonly unwrapped: (count: number) => string
    readonly caseSaved: string
    readonly caseDeleted: string
    readonly notAsIni: string
    readonly caseOpened: string
    readonly imported: string
    readonly example: string
    readonly notKept: string
    readonly restarted: string
    readonly replaced: string
  }
  readonly refusals: Readonly<Record<Exclude<RefusalCode, 'superseded'>, (limit: string) => string>>
}

export type ShortcutName =
  | CodeCommand
  | 'complete'
  | 'fold'
  | 'save'
  | 'content'
  | 'events'
  | 'answer'
  | 'nextEvent'
  | 'addEvent'
  | 'nextProblem'
  | 'fix'
  | 'search'
  | 'undo'
  | 'share'
  | 'views'
  | 'escape'
  | 'keys'

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const english: Texts = {
  title: 'Playground',
  language: 'English',
  tagline: 'Rules and decoders, answered as Wazuh 4.14 does',
  privacy: {
    short: 'Stays in this page',
    long: 'What you type is compiled and run in this page, by an engine in your browser. Nothing of it is sent to a server. Your work is kept in this browser only.',
  },
  theme: { label: 'Colours', light: 'Light', dark: 'Dark', auto: 'As the system' },
  actions: {
    share: 'Share',
    import: 'Import',
    export: 'Export',
    keys: 'Keyboard shortcuts',
    startAnew: 'Start with the example',
    more: 'More',
    close: 'Close',
    undo: 'Undo',
    copy: 'Copy',
    copied: 'Copied',
    cancel: 'Cancel',
  },
  parts: { label: 'Parts of the page', content: 'Content', events: 'Events', answer: 'Answer' },
  base: {
    label: 'Base',
    reference: 'Reference ruleset',
    none: 'No base',
    own: (name) => name,
    rules: (count) => `${count} rules`,
    choose: 'What your content is compiled on',
    drop: 'Another ruleset…',
  },
  kinds: { rules: 'Rules', decoders: 'Decoders', lists: 'List' },
  files: {
    label: 'Files',
    add: 'New file',
    actions: 'Actions for this file',
    rename: 'Rename the file',
    newName: 'New name of the file',
    nameTaken: 'Another file has this name.',
    remove: 'Delete the file',
    empty: 'There is no file yet. Add one, or drop a folder or a zip here.',
    editor: (name) => `Text of ${name}`,
    readOnly: 'Part of the base, read-only',
    back: 'Back to your files',
    override: (id) => `Override rule ${id}`,
    splitter: 'Size of the parts',
    graph: 'Graph of this file',
    graphAtCursor: 'Graph at the cursor',
  },
  problems: {
    none: 'No problems',
    count: (count) => plural(count, 'problem', 'problems'),
    errors: (count) => plural(count, 'error', 'errors'),
    label: 'Problems',
    line: (line) => `line ${line}`,
    fix: (change) => `Fix: ${change}`,
    more: (count) => `and ${count} more of this kind`,
    refuses: 'Wazuh would not start with this content, so no event runs.',
    effect: 'In Wazuh:',
    replaceWith: (text) => `write ${text}`,
    insert: (text) => `insert ${text}`,
    remove: (text) => `remove ${text}`,
    change: (places) => `change ${places} places`,
    explain: 'Cause, effect and an example',
    attack: 'Open this event',
    attackSearching: 'Looking for the event…',
    attackAlone: 'No event was found that brings it to the pattern: this is the text alone.',
  },
  severities: { error: 'Error', warning: 'Warning', info: 'Note', success: 'Fine' },
  effects: {
    refuse: 'does not start',
    drop: 'drops the rule or decoder',
    ignore: 'ignores this part',
    crash: 'crashes',
    none: 'no effect',
  },
  events: {
    label: 'Events',
    add: 'Add events',
    addHint: 'Type or paste events: one a line, JSON, Windows XML, lines of archives',
    addButton: 'Add',
    empty: 'No events yet. Paste some log lines below.',
    columns: { event: 'Event', decoder: 'Decoder', rule: 'Rule', level: 'Level', fields: 'Fields', outcome: 'As expected', time: 'Time' },
    noRule: 'no rule',
    noDecoder: 'none',
    met: 'as expected',
    unmet: (expected) => `expected ${expected === '-' ? 'no rule' : expected}`,
    session: 'Session',
    sessionHelp: 'The events follow each other on a clock, so that rules can count them. Without it each event is the first.',
    clock: 'Clock starts',
    clockMachine: 'now',
    clockInvalid: 'Write a time with a zone, such as 2026-01-05T22:30:00-03:00.',
    clear: 'Delete all',
    remove: 'Delete event',
    again: (seconds) => `Again after ${seconds} s`,
    seconds: 's',
    after: (seconds) => `at ${seconds} s`,
  },
  event: {
    label: 'Event',
    format: 'Format',
    formats: { auto: 'Detect', syslog: 'syslog', json: 'JSON', eventchannel: 'Windows event', plain: 'plain' },
    location: 'Location',
    wait: 'Seconds after',
    expected: 'Expected rule',
    expectedHint: 'id, or - for none',
    expectThis: 'Expect this',
    inside: 'This is a record about a log. Wazuh decodes only the log inside.',
    useInside: 'Use the log inside',
  },
  answer: {
    label: 'Answer',
    none: 'Choose an event to see its answer.',
    waiting: 'Starting the engine…',
    notLoaded: 'Wazuh would not start with this content. The problems below the editor say why.',
    refused: 'Wazuh does not take this event.',
    noRule: 'No rule fires',
    noRuleHelp: 'The event is decoded, and no rule with a level above 0 matches.',
    alert: 'Creates an alert',
    noAlert: 'Creates no alert',
    fired: (times) => `number ${times} in this session`,
    hints: 'Hints',
    groups: 'Techniques and groups',
    moreGroups: (count) => `${count} more`,
    saveCase: 'Save as a case',
    saveCaseAs: 'Another form of the case',
    saveIni: 'As .ini, for Wazuh’s test suites',
  },
  why: {
    title: 'Why, or why not?',
    help: 'Any rule of the base or of your content.',
    rule: 'Rule id',
    show: 'Show',
  },
  views: {
    title: 'Ruleset',
    open: 'Graph, map and ATT&CK matrix of all rules, the audit of yours, and what your edits change',
    graph: 'Rule graph',
    map: 'Map',
    attack: 'ATT&CK',
    audit: 'Audit',
    cases: 'Case score',
    differences: 'Differences',
    file: 'Rules of a file…',
    group: (name) => `Rules of the group ${name}`,
    waiting: 'Listing the rules…',
    missing: 'This part of the page cannot be loaded. Is there a connection?',
  },
  audit: {
    notLoaded: 'Nothing is judged: Wazuh would not start with this content.',
    nothing: 'There is no rule of your own.',
    stop: 'Stop',
    goOn: 'Go on',
    legend: 'Verdicts',
    judging: (done, total) => (total === 0 ? 'Judging your rules…' : `Judging your rules: ${done} of ${total}.`),
    judged: (done, total) => (done === total ? `Your rules: ${total}. Choose one to see why.` : `Judged: ${done} of ${total}.`),
    more: (count) => `Not judged, because they are too many: ${count}.`,
    verdicts: { dropped: 'dropped', unreachable: 'unreachable', shadowed: 'shadowed', unknown: 'unknown', only_if: 'only if', noalert: 'noalert', fires: 'fires' },
    meanings: {
      dropped: 'Wazuh leaves the rule out.',
      unreachable: 'It is proven that no event fires it.',
      shadowed: 'It is proven that other rules take every event that it would fire on.',
      unknown: 'No event was found that fires it, and no proof that none does.',
      only_if: 'It fires only if more than the event itself is given.',
      noalert: 'It is never the final rule, because it has noalert; it only leads to other rules.',
      fires: 'An event fires it.',
    },
    cell: (id, verdict) => `Rule ${id}: ${verdict}`,
    rule: (id, level) => `rule ${id}, level ${level}`,
    takers: (ids) => `Its events go to: ${ids}.`,
    onlyIf: (condition) => `It fires only if ${condition.replace(/\.$/, '')}.`,
    witness: (events) => (events === 1 ? 'An event that was run:' : `The last of ${events} events that were run in one session:`),
  },
  caseGrade: {
    what: 'What are your cases worth? Each of your rules and decoders is changed in small ways. A change that no case notices shows what is not tested.',
    begin: 'Grade the cases',
    again: 'Grade anew',
    notLoaded: 'Nothing is graded: Wazuh would not start with this content.',
    nothing: 'There is no rule or decoder of your own.',
    old: 'The cases have changed since.',
    add: 'Add this case',
    added: 'Added',
    grading: (done, total) => (total === null ? 'Running the cases…' : `Rules and decoders: ${done} of ${total}.`),
    failed: (count) => (count === 1 ? 'A case fails. Only cases that pass can be graded.' : `${count} cases fail. Only cases that pass can be graded.`),
    score: (percent) => `Score: ${percent}%.`,
    counts: (killed, survived, unknown, equivalent) => `Changes noticed: ${killed}. Not noticed: ${survived}. Unknown: ${unknown}. Proven to change nothing: ${equivalent}.`,
    untried: (count) => `Without time: ${count}.`,
    killer: (rule) => `A case with this event, which expects ${rule === null ? 'no rule' : `rule ${rule}`}, notices it:`,
  },
  differences: {
    withOpened: 'Compared with the content as it was opened. The events are made from the rules, and were run with both.',
    withHome: (name) => `Compared with what is saved in ${name}. The events are made from the rules, and were run with both.`,
    searching: 'Looking for differences…',
    refused: 'There was no answer.',
    again: 'Search again',
    notLoaded: 'Nothing is compared: Wazuh would not start with both contents.',
    nothing: 'Nothing is different.',
    alerts: (lost, gained, changed) => `Rules that lose an alert: ${lost}. That gain one: ${gained}. With another alert: ${changed}.`,
    others: (proven, searched, unknown) => `Proven to be without a difference: ${proven}. None found by searching: ${searched}. Unknown: ${unknown}.`,
    incomplete: 'The time was over before everything was searched: what is unknown may differ.',
    more: (count) => `${count} more differences`,
    effects: { lost: 'Alert lost', gained: 'Alert gained', moved: 'Another rule', level: 'Another level', decoder: 'Another decoder', fields: 'Other fields' },
    rule: (id) => `rule ${id}`,
    decoder: (name) => `decoder ${name}`,
    answer: (id, level) => `rule ${id}, level ${level}`,
    onlyDecoded: (name) => `no rule, decoder ${name}`,
    answers: (before, after) => `Before: ${before}. After: ${after}.`,
    lastOf: (count) => `The last of ${count} events of one session.`,
    likewise: (names, more) => `The same for ${names}${more > 0 ? `, and ${more} more` : ''}.`,
    lostField: (name, renamed, readers) =>
      `${renamed === null ? `The field ${name} is gone` : `The field ${name} is now ${renamed}`}${readers === '' ? '.' : `; rules that read ${name}: ${readers}.`}`,
    show: 'Show this event',
    added: (count) => (count === 1 ? 'The event was added.' : `${count} events were added.`),
  },
  cases: {
    label: 'Cases',
    empty: 'A case is an event with the answer that you expect. Save one from the answer; it then runs at each change.',
    passed: 'passes',
    failed: 'fails',
    waiting: 'not run yet',
    summary: (passed, total) => `${passed} of ${total} pass`,
    name: 'Name of the case',
    open: 'Show its events',
    remove: 'Delete case',
    noRule: 'No rule',
    check: (label, expected, actual) => `${label}: expected ${expected}, got ${actual}`,
    clock: 'Its result depends on the time of day: set a clock.',
  },
  share: {
    title: 'Share',
    help: 'The link contains all files, events and cases. Browsers do not send this part of an address to any server; who has the link can read everything.',
    events: (count) => `The link contains ${plural(count, 'event', 'events')}. Logs often have names and addresses in them.`,
    replace: 'Replace names and addresses first',
    replaceHelp: 'Found by their form and by the names of fields, so look at the list. What is missing in it stays as it is.',
    nothingFound: 'No names or addresses were found.',
    tooLong: (length, limit) => `This is too much for a link: ${length} of at most ${limit} characters. Export a zip instead.`,
    length: (length) => `${length} characters`,
    link: 'Link',
  },
  link: {
    text: 'This came by a link. It is not kept in this browser.',
    keep: 'Keep it in place of my own',
    own: 'Back to my own',
    invalid: 'The link is not complete, or not one of this page.',
  },
  home: {
    saveCount: (count) => `Save ${plural(count, 'change', 'changes')}`,
    allSaved: 'Everything is saved',
    unsaved: 'Not saved',
    others: 'Somebody else has saved. You see it now.',
    othersConflict: 'Somebody else has saved what you have changed as well. Your text stays until you have merged them.',
    othersCases: (names) => `Somebody else has changed ${names.join(', ')} as well. Your text stays, and saving it replaces theirs.`,
    removed: (name) => `${name}: to be deleted`,
    cases: 'Cases',
    saved: (name) => `Saved in ${name}.`,
    notSaved: (name, reason) => `${name} is not saved: ${reason}`,
    readOnly: 'You may read this, and not change it.',
    fileReadOnly: 'The file is not UTF-8, so it is read-only.',
    leave: 'Not everything is saved. Leave it?',
    leftOut: (count) => `${plural(count, 'file', 'files')} left out`,
    leftOutReasons: { link: 'a link', too_large: 'too large', unreadable: 'not readable' },
    conflicts: (count) => (count === 1 ? 'A file was changed there as well' : `${count} files were changed there as well`),
    decide: 'Decide…',
    faults: {
      unreachable: 'The command does not answer. Is it still running?',
      ended: 'The command was started again. Open the address that it has printed.',
      too_large: 'The folder has too many files in it, or too large ones. Changes in it are not shown.',
    },
    refusals: {
      host_refused: 'the address of the page is not the one that the command has printed.',
      origin_refused: 'another site has asked for it.',
      token_refused: 'The command was started again. Open the address that it has printed.',
      not_found: 'there is no such file any more.',
      method_refused: 'the command is of another version.',
      file_exists: 'there is a file with this name.',
      file_changed: 'it has changed on disk.',
      folder_too_large: 'the folder would have too many files in it, or too large ones.',
      path_refused: 'no content is looked for at this place. Give it another name.',
      not_content: 'it has neither rules, decoders, a list nor cases in it.',
      not_utf8: 'the file on disk is not UTF-8.',
      condition_missing: 'the command is of another version.',
      too_many_waiting: 'too many tabs have the folder open.',
      failed: 'the system does not let the command write there.',
      unreachable: 'The command does not answer. Is it still running?',
    },
    privacy: {
      short: 'Saved only when you say so',
      long: (name) => `What you type is compiled and run in this page, by an engine in your browser. It is written to ${name} when you save, and sent nowhere else.`,
    },
  },
  service: {
    open: 'Open from the service…',
    title: 'Open from the service',
    asking: 'Asking the service…',
    signInHelp: 'Paste an API key or an access token of this service. It is sent to this service only, and forgotten when the page is closed.',
    credential: 'API key or access token',
    keep: 'Keep it until this tab is closed',
    keepHelp: 'Also when the page is loaded again.',
    signIn: 'Sign in',
    signOut: 'Sign in with another key or token',
    organization: 'Organization',
    search: 'Find a project by its name',
    noProjects: 'There is no such project.',
    counts: (cases, workspaces) => `${plural(cases, 'case', 'cases')} · ${plural(workspaces, 'workspace', 'workspaces')}`,
    itself: 'The project’s own content',
    workspace: (name) => `Workspace: ${name}`,
    unreachable: 'The service does not answer.',
    leave: 'Close, and go back to your own work',
    otherBase: 'Another base than in the service',
    otherBaseHelp:
      'The service compiles this content on a ruleset of its own, which this page does not have. Answers here can differ. Import that ruleset as the base to have the same.',
    gate: {
      passed: (score) => `Project: gate passes, score ${score}`,
      failed: (score, failed) => `Project: gate fails in ${plural(failed, 'point', 'points')}, score ${score}`,
      not_proven: (score) => `Project: gate is not proven, score ${score}`,
      pending: (score) => `Project: gate is being measured, score ${score}`,
    },
    report: 'Open the report of the project',
    compare: 'Compare with the project',
    comparing: 'Comparing…',
    impact: (improved, regressed, score) => `${plural(improved, 'case', 'cases')} better, ${regressed} worse, score ${score < 0 ? '−' : '+'}${Math.abs(score)}`,
  },
  merge: {
    title: (name) => `${name} was changed in two places`,
    merging: 'Comparing…',
    nothingToDecide: 'No rule was changed by both, so both changes fit together.',
    help: (count) =>
      `What only one of you changed is merged by itself. ${count === 1 ? 'One part was changed by both: choose' : `${count} parts were changed by both: choose for each`} what it becomes. What was there before is struck.`,
    kept: (names, more) => `Taken from yours: ${names}${more > 0 ? `, and ${more} more` : ''}.`,
    item: (kind, name) => `${{ rule: 'Rule', decoder: 'Decoder', variable: 'Variable', list: 'List', file: 'File' }[kind]} ${name}`,
    onDisk: 'On disk',
    inService: 'In the service',
    mine: 'Yours',
    editable: 'can be edited',
    removed: 'Deleted here.',
    absent: 'It was not there.',
    before: 'As it was before',
    gone: 'You have edited this file, and it was deleted where it lives.',
    removeHere: 'Delete it here too',
    keepMine: 'Keep mine',
    use: 'Use the merged text',
  },
  import: {
    title: 'Import',
    help: 'A folder or a zip with rules, decoders, lists and cases, or single files. They are read in this page and sent nowhere.',
    files: 'Choose files or a zip',
    folder: 'Choose a folder',
    dropHere: 'Drop them anywhere in the page',
    found: (rules, decoders, lists, cases) =>
      `Found ${plural(rules, 'file of rules', 'files of rules')}, ${plural(decoders, 'of decoders', 'of decoders')}, ${plural(lists, 'list', 'lists')} and ${plural(cases, 'case', 'cases')}.`,
    unread: (count) => `${plural(count, 'line or section of an .ini suite is', 'lines or sections of .ini suites are')} no case.`,
    skipped: (count) => `${plural(count, 'other file was', 'other files were')} left out.`,
    asContent: 'Edit them as my content',
    asContentHelp: (count) => `They replace the ${plural(count, 'file', 'files')} in the editor.`,
    asBase: 'Use them as the base',
    asBaseHelp: 'As the ruleset of a manager: your content is compiled on it.',
    remember: 'Remember this base in this browser',
    rememberHelp: 'It is stored on this device until you choose another base, and sent nowhere.',
    use: 'Use them',
    faults: {
      empty: 'There are no rules, decoders, lists or cases in it.',
      too_many_files: 'There are too many files in it.',
      too_large: 'It is too large.',
      not_a_zip: 'The zip cannot be read.',
      unsupported_zip: 'The zip is encrypted, or compressed in a way that is not supported.',
    },
  },
  code: {
    label: 'Actions at the cursor',
    outline: 'Go to a rule or decoder',
    outlineHint: 'Id, name or words of the description',
    definition: 'Go to the definition',
    definitions: 'Definitions',
    uses: 'Find children and uses',
    usesTitle: 'Children and uses',
    rename: 'Rename at the cursor',
    format: 'Format the file',
    help: 'Help at the cursor',
    newName: 'New name',
    renameButton: 'Rename',
    filterHint: 'Words to look for',
    nothing: 'Nothing found.',
    noName: 'Place the cursor on the id of a rule, or on the name of a decoder, group, field or list.',
    noUses: 'Nothing uses it.',
    noAnswer: 'There is no answer. Try again.',
    notFormatted: 'There is nothing to format, or a tag is not closed.',
    readOnly: 'This can only be read.',
    changedSince: 'The files have changed since. Undo in the editor.',
    renameTitle: (name) => `Rename ${name}`,
    renamed: (from, to, files) => `${from} is ${to} now, in ${plural(files, 'file', 'files')}.`,
  },
  keys: {
    title: 'Keyboard shortcuts',
    rows: {
      save: 'Save, where the content is opened from elsewhere',
      content: 'Go to the content',
      events: 'Go to the events',
      answer: 'Go to the answer',
      nextEvent: 'In the events: next or previous event',
      addEvent: 'In the field below the events: add what is typed',
      complete: 'In the editor: what can be written here',
      help: 'In the editor: help at the cursor',
      definition: 'In the editor: go to the definition',
      uses: 'In the editor: children and uses of the name',
      rename: 'In the editor: rename it in all files',
      outline: 'In the editor: go to a rule or decoder',
      format: 'In the editor: format the file',
      nextProblem: 'In the editor: next problem',
      fix: 'In the editor: the fixes of the problem at the cursor',
      search: 'In the editor: search and replace',
      fold: 'In the editor: fold or unfold the rule at the cursor',
      undo: 'In the editor: undo, redo',
      share: 'Share',
      views: 'Graph, map and ATT&CK matrix of the rules',
      escape: 'In the editor, before Tab: leave it',
      keys: 'This list',
    },
    note: 'In the editor Tab indents. Press Escape and then Tab to move on.',
  },
  notices: {
    fileDeleted: (name) => `${name} is deleted.`,
    eventDeleted: 'The event is deleted.',
    eventsDeleted: 'All events are deleted.',
    eventsCut: (limit) => `The page runs ${limit} events at most; the rest was left out.`,
    unwrapped: (count) => (count === 1 ? 'That was a record about a log: the log inside was taken.' : `${count} of them were records about logs: the logs inside were taken.`),
    caseSaved: 'Saved as a case.',
    caseDeleted: 'The case is deleted.',
    notAsIni: 'An .ini case has a decoder and a rule, or no rule; its events are in syslog format, of one second, and from no location. Save this one as JSON.',
    caseOpened: 'The events of the case are in place of the others.',
    imported: 'Imported.',
    example: 'The example is in place of your work.',
    notKept: 'The browser has no space to remember it.',
    restarted: 'The engine took too long and was started again.',
    replaced: 'Names and addresses are replaced in your work.',
  },
  refusals: {
    too_many_files: (limit) => `There are more than ${limit} files.`,
    content_too_large: (limit) => `The content has more than ${limit} characters.`,
    too_many_events: (limit) => `There are more than ${limit} events.`,
    events_too_large: (limit) => `The events have more than ${limit} characters.`,
    too_many_traces: (limit) => `More than ${limit} traces were asked for.`,
    too_many_cases: (limit) => `There are more than ${limit} cases.`,
    clock_invalid: () => 'The clock needs a time with a zone, such as 2026-01-05T22:30:00-03:00.',
    second_invalid: () => 'The seconds of the events are not whole numbers, or too large.',
    failed: () => 'The engine has failed. Load the page again; your work is kept.',
  },
}
