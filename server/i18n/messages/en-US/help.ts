/**
 * The help of the command line in English. Names and options of a command are declared in `server/cli`; types check both against each other, so an option or
 * example without a text does not compile.
 */
export const help = {
  program: {
    summary: 'write, test and run Wazuh-style detection content, exactly as Wazuh 4.14.7 runs it.',
    usage: ['COMMAND [OPTIONS] [...]', 'COMMAND --help'],
    version: 'the version',
    exitCodes: {
      fine: 'success',
      failed: 'errors in the content, a failed case, no case at all, or a line that cannot be read',
      usage: 'wrong usage, or a missing file',
    },
  },
  headings: {
    usage: 'Usage',
    commands: 'Commands',
    options: 'Options',
    commonOptions: 'Options of every command',
    exitCodes: 'Exit codes',
    examples: 'Examples',
    begin: 'Begin with',
  },
  /** What the value of an option is called. */
  values: { dialect: 'DIALECT', folder: 'DIR', format: 'FORMAT', locale: 'LOCALE', number: 'N', path: 'PATH', ruleId: 'RULE_ID', url: 'URL' },
  /** Options of several commands. */
  shared: {
    locale: 'language of help, errors and reports (default: from LANG)',
    color: 'colours even if the output is not a terminal; --no-color: never (NO_COLOR is respected too)',
    help: 'this text',
    ruleset: 'base ruleset: a folder with decoders/, rules/ and lists/ (default: the shipped reference)',
    custom: 'your own content on top of it: a folder of the same form, or one file of rules, decoders or a list; can be repeated',
    jsonl: 'JSON lines in, JSON lines out',
    'data-dir': 'the embedded store of a service with this DATA_DIR (default: NATIVE_SERVICE_DATA_DIR, or ./data)',
    'mongodb-url': 'a MongoDB instead, the database in its path (default: NATIVE_SERVICE_MONGODB_URL, which other users of the machine do not see)',
  },
  commands: {
    logtest: {
      summary: 'run log lines: which decoder and rule match, with which fields, and why',
      usage: ['[--ruleset DIR] [--custom PATH] [FILE...]', '--jsonl [--trace] [FILE...]'],
      description: [
        'Reads one event a line, from files or standard input, and prints a report for each. Every event starts a new session unless --session is given: frequency and other correlation rules need a session.',
        'With --jsonl an input line is {"event", "location"?, "log_format"?, "session_id"?}, or {"events": [...]} for one session in order; each is answered by one JSON line: a LogtestResponse with "alert" added, or {"results": [...]}. A line that cannot be read is answered by an error object.',
        'Errors and warnings in the content of --custom are reported on standard error before the first event. An error there makes the exit code 1, and "ok" of every JSON answer false, even if it only makes Wazuh drop one rule and the events are run.',
      ],
      options: {
        session: 'all lines belong to one session, so that correlation rules count them',
        location: 'where the events come from (plain lines; default: stdin)',
        trace: 'every decision: each decoder and rule tried, and what decided',
        explain: 'explain for each event why this rule did or did not match',
        fast: 'no hints in reports; computing them takes longer than running the events',
      },
      examples: ['a log with the shipped rules', 'your own rules, on a growing log', 'why a correlation rule does not fire', 'for programs'],
    },
    validate: {
      summary: 'find what is wrong with rules and decoders, and what Wazuh would do about it',
      usage: ['[--ruleset DIR] [--custom PATH] [FILE...]', '--jsonl < requests.jsonl'],
      description: [
        "FILE is a file of rules, decoders or a list (recognized by its folder, else by its content), or a folder with such files. They are checked on top of the ruleset, as Wazuh would load them together; one called local_*.xml replaces the ruleset's file of that name, and one that is in a folder of the ruleset is checked as part of it.",
        'Without FILE the content of --custom is checked, or without that the folder of --ruleset; one of the three must be named.',
        'With --jsonl a line is {"files": [{"kind", "filename", "content"}]}, answered by a ValidationResponse with "loads" (would Wazuh start) and "rules_present" (ids written in these files that exist afterwards) added.',
      ],
      options: {
        format: 'output format (default: pretty)',
        baseline: 'also show findings in the base ruleset',
        strict: 'warnings fail too',
      },
      examples: ['one file, on the shipped rules', 'your content on the ruleset of your manager', 'for code scanning', 'annotations in a GitHub workflow'],
    },
    test: {
      summary: 'run test suites (Wazuh .ini files and JSON cases), with coverage',
      usage: ['[--ruleset DIR] [--custom PATH] FILE...'],
      description: [
        'FILE is a suite in the form of Wazuh\'s own (.ini), a JSON file {"cases": [...]}, or a folder with such files. Every case runs in a session of its own, but those of a file with one session_id share it, in order. Cases of JSON files ask for any of: expected_decoder, expected_rule, expected_level, expected_rule_ids, forbidden_rule_ids, expect_no_rule, expected_fields; "events" with "at" (seconds) makes a sequence.',
        'The formats github and sarif also hold the findings of the content of --custom. Their paths are relative to the root of the repository.',
        'Coverage counts the rules and decoders of --custom, or of the base ruleset when there is none. A rule that Wazuh drops counts as one that no case matches.',
        'Errors and warnings in the content of --custom are reported on standard error. An error there makes the exit code 1, even if it only makes Wazuh drop one rule and every case passes. So does a call without a single case, unless --allow-empty is given.',
      ],
      options: {
        format: 'output format (default: pretty)',
        untested: 'list the rules and decoders that no case covers',
        'allow-empty': 'succeed without any case',
        verbose: 'name passed cases too',
      },
      examples: [
        'your own content against your own suites',
        "one of Wazuh's suites on its ruleset",
        'for CI',
        'failures and findings at their lines, on GitHub',
        'what still has no test',
      ],
    },
    regex: {
      summary: 'try a pattern (osregex, osmatch or pcre2) on texts: matched or not, where, captures',
      usage: ['[--engine osregex|osmatch|pcre2] PATTERN [INPUT...]', '--jsonl < trials.jsonl'],
      description: [
        'Inputs are the lines of standard input when none is named. Differences to the other dialects are shown: a <match> is osmatch, a <regex> is osregex, and both can be pcre2 with type="pcre2". Exit code 1: no input matched, or the pattern does not compile.',
        'With --jsonl a line is {"engine", "pattern", "input", "substrings", "case_sensitive"}, answered by {"compiled", "error"?, "matched", "end", "captures"}; "end" is the byte offset of the last matched byte (null for osmatch).',
      ],
      options: {
        engine: 'dialect of the pattern (default: osregex)',
        'case-sensitive': 'the flag OS_CASE_SENSITIVE: capitals in the pattern then never match',
        captures: 'match as decoders do (default); --no-captures: as rules do, which can change what an osregex matches',
        quiet: 'only the exit code',
      },
      examples: ["a decoder's regex", 'on every line of a log', "a rule's match"],
    },
    bench: {
      summary: 'how fast a ruleset runs on your events; --profile: what in it costs most',
      usage: ['EVENTS [--ruleset DIR] [--custom PATH]'],
      description: [
        'EVENTS is a file with one event a line, or JSON lines with an "event" member (and perhaps its "kind"); - is standard input. Measured on one thread, after a warm-up: events a second by stage, latency percentiles, and compile times (cold, and 50 small rules on the warm base).',
        'With --profile each rule, decoder and pattern is timed: how often it was tried, matched, or excluded by a prefilter, most expensive first.',
      ],
      options: {
        seconds: 'how long to measure (default: {seconds})',
        profile: 'what each rule, decoder and pattern costs',
        json: 'the numbers as JSON',
      },
      examples: ['the shipped rules on a log of yours', 'which of your rules costs most', 'for CI'],
    },
    schema: {
      summary: 'every tag and attribute of rules and decoders as JSON; --diagnostics: all codes as Markdown',
      usage: ['[--locale LOCALE]', '--diagnostics [--locale LOCALE]'],
      description: ['Prints the ValidationSchemaResponse, which editors complete and check from, or the reference of all diagnostic codes.'],
      options: { diagnostics: 'the reference of all diagnostic codes, in Markdown' },
      examples: ['every tag of rules', 'the codes, in Portuguese'],
    },
    serve: {
      summary: 'start the HTTP service',
      usage: ['[--accept-new-secret-key]'],
      description: [
        'Answers on http://127.0.0.1:8080 until it is stopped. Without settings it keeps its data in ./data and needs no database.',
        'Settings are variables of the environment: {settings}.',
      ],
      options: {
        'accept-new-secret-key':
          'start with another secret key than the store was created with: sessions, API keys, invitations, password resets and secrets of webhooks of the former key are lost. Without it the start is refused',
      },
      examples: ['the embedded store in ./data', 'with NATIVE_SERVICE_MONGODB_URL and NATIVE_SERVICE_SECRET_KEY set: MongoDB', 'the former secret key is lost'],
    },
    backup: {
      summary: 'write the whole store to one file',
      usage: ['[--data-dir DIR | --mongodb-url URL] FILE'],
      description: [
        'FILE is a gzip of JSON lines with a checksum. It replaces an older one once it is complete, and only you may read it: it contains hashes of passwords.',
        'The service may go on working. The backup of an embedded store is as of the moment at which it began; what changes in a MongoDB meanwhile may be in the backup or not.',
        'Keep the secret key of the service with it (NATIVE_SERVICE_SECRET_KEY, or the one generated in its data folder): the restored service refuses to start with another one.',
      ],
      options: {},
      examples: ['the embedded store', 'a MongoDB'],
    },
    restore: {
      summary: 'fill an empty store from a backup',
      usage: ['[--data-dir DIR | --mongodb-url URL] FILE'],
      description: [
        'FILE was written by backup, from either kind of store. It is checked to its end before anything is written; a store that is not empty is not changed. After an interrupted restore no service starts until it is repeated.',
        'Start the service afterwards with the secret key that it had: it refuses another one, as the backup holds its fingerprint.',
      ],
      options: {},
      examples: ['into a new data folder'],
    },
  },
} as const
