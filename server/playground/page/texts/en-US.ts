import type { EngineEffect, FileKind, LogFormat, Severity } from '#engine'
import type { RefusalCode } from '../../worker/protocol.js'
import type { ImportFault } from '../model/import.js'
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
    readonly againLabel: string
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

export type ShortcutName = 'content' | 'events' | 'answer' | 'nextEvent' | 'addEvent' | 'nextProblem' | 'fix' | 'search' | 'undo' | 'share' | 'views' | 'escape' | 'keys'

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
    rename: 'Rename…',
    newName: 'New name of the file',
    nameTaken: 'Another file has this name.',
    remove: 'Delete',
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
    againLabel: 'Seconds until the event comes again',
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
    open: 'Graph, map and ATT&CK matrix of all rules',
    graph: 'Rule graph',
    map: 'Map',
    attack: 'ATT&CK',
    file: 'Rules of a file…',
    group: (name) => `Rules of the group ${name}`,
    waiting: 'Listing the rules…',
    missing: 'This part of the page cannot be loaded. Is there a connection?',
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
  keys: {
    title: 'Keyboard shortcuts',
    rows: {
      content: 'Go to the content',
      events: 'Go to the events',
      answer: 'Go to the answer',
      nextEvent: 'In the events: next or previous event',
      addEvent: 'In the field below the events: add what is typed',
      nextProblem: 'In the editor: next problem',
      fix: 'In the editor: the fixes of the problem at the cursor',
      search: 'In the editor: search and replace',
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
