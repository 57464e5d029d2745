/**
 * The help of the command line in English. Names and options of a command are declared in `server/cli`; types check both against each other, so an option or
 * example without a text does not compile.
 */
export const help = {
  program: {
    summary: 'write, test and run Wazuh-style detection content, with the results of Wazuh 4.14.7.',
    usage: ['COMMAND [OPTIONS] [...]', 'COMMAND --help'],
    version: 'print the version',
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
  /** Names of option values. */
  values: {
    dialect: 'DIALECT',
    folder: 'DIR',
    format: 'FORMAT',
    locale: 'LOCALE',
    number: 'N',
    output: 'FORMAT=FILE',
    path: 'PATH',
    ruleId: 'RULE_ID',
    unitTest: 'RULE:LEVEL:DECODER',
    url: 'URL',
  },
  /** Options that several commands share. */
  shared: {
    locale: 'language of help, errors and reports (default: from LANG)',
    color: 'colours even if the output is not a terminal; --no-color: never (NO_COLOR is respected too)',
    help: 'print this help',
    ruleset: 'base ruleset: a folder with decoders/, rules/ and lists/, or "none" for no base (default: the shipped reference)',
    custom: 'your own content on top of it: a folder with the same structure, any folder with content, or one file of rules, decoders or a list; can be repeated',
    output: 'also write this report to a file; can be repeated',
    jsonl: 'JSON lines in, JSON lines out',
    'data-dir': 'the embedded store of a service with this DATA_DIR (default: NATIVE_SERVICE_DATA_DIR, or ./data)',
    'mongodb-url': 'a MongoDB instead, with the database in the path (default: NATIVE_SERVICE_MONGODB_URL, which hides it from other users of the machine)',
  },
  commands: {
    logtest: {
      summary: 'run log lines: which decoder and rule match, with which fields, and why',
      usage: ['[--ruleset DIR] [--custom PATH] [FILE...]', '--jsonl [--trace] [FILE...]'],
      description: [
        'Reads one event per line, from files or standard input, and prints a report for each. Every event starts a new session unless --session is given: frequency and other correlation rules need a session. At a terminal all events are one session, and JSON or XML that is pasted over several lines is one event.',
        'Lines of archives.log, archives.json, alerts.json and alerts.log, the member full_log, and quoted or escaped lines are records about a log, which Wazuh never decodes as they are. They are recognized: a hint says so, and at a terminal the log inside is run as well.',
        'With --jsonl an input line is {"event", "location"?, "log_format"?, "session_id"?}, or {"events": [...]} for one session in order; the output has one JSON line for each: a LogtestResponse with "alert" added, or {"results": [...]}. For an invalid line it is an error object.',
        'Errors and warnings in the content of --custom are reported on standard error before the first event. With an error the exit code is 1 and "ok" is false in every JSON response, even if Wazuh only drops one rule and the events are run.',
      ],
      options: {
        session: 'all lines belong to one session, so that correlation rules count them (default at a terminal); --no-session: each has its own',
        location: 'where the events come from (plain lines; default: stdin)',
        unwrap:
          'run the log inside of such records, with the location and the agent that they name; JSON, XML and entries of alerts.log over several lines are one event. A decoded Windows event is made into an event with the same fields',
        trace: 'show each decoder and rule that was tried, and why it matched or not',
        'unit-test': 'exit code 0 only if the last event results in this rule, level and decoder; all events are one session, as in wazuh-logtest -U',
        quiet: 'no invitation and no summary; with --unit-test only the exit code',
        explain: 'explain for each event why this rule did or did not match',
        fast: 'no hints in reports; computing them takes longer than running the events',
      },
      examples: [
        'a log with the shipped rules',
        'your own rules, on a growing log',
        'why a correlation rule does not match',
        'the logs that a manager has archived',
        'a unit test, as with wazuh-logtest',
        'for programs',
      ],
    },
    validate: {
      summary: 'find errors in rules and decoders, and their effect in Wazuh',
      usage: ['[--ruleset DIR] [--custom PATH] [FILE...]', '--jsonl < requests.jsonl'],
      description: [
        "FILE is a file of rules, decoders or a list (recognized by its folder, else by its content), or a folder with such files. They are checked on top of the ruleset, as Wazuh would load them together. A file named local_*.xml replaces the ruleset's file of that name, and a file from a folder of the ruleset is checked as part of it.",
        'Without FILE the content of --custom is checked, or without that the folder of --ruleset; one of the three must be named.',
        'With --jsonl an input line is {"files": [{"kind", "filename", "content"}]}; the output line is a ValidationResponse with "loads" (whether Wazuh would start) and "rules_present" (ids in these files that exist in the compiled ruleset) added.',
      ],
      options: {
        format: 'output format (default: pretty)',
        baseline: 'also show diagnostics of the base ruleset',
        strict: 'warnings also cause exit code 1',
        'only-named': 'report only diagnostics of FILE and what follows from them; the rest of --custom is compiled, and not reported',
        fix: 'correct what the engine is sure of, and print the changes as a diff; nothing is written',
        suggested: 'with --fix: also apply the best proposal, such as a name that is nearly the one written',
        write: 'with --fix: write the files',
        watch: 'run again when a file changes; only what changed is compiled. It ends with standard input or Ctrl-C',
        'help-url': 'where the output of schema --diagnostics is published; SARIF links to the heading of each code',
      },
      examples: [
        'one file, on the shipped rules',
        'your content on the ruleset of your manager',
        'for code scanning',
        'annotations in a GitHub workflow',
        'several reports of one run',
        'one file of your content, such as a changed one',
        'what could be corrected',
        'correct it',
        'while you edit',
      ],
    },
    test: {
      summary: 'run test suites (Wazuh .ini files and JSON cases), with coverage',
      usage: ['[--ruleset DIR] [--custom PATH] FILE...'],
      description: [
        'FILE is a suite in Wazuh\'s format (.ini), a JSON file {"cases": [...]}, or a folder with such files. Every case runs in a new session, except that cases of one file with the same session_id share a session, in order. Cases of JSON files can contain: expected_decoder, expected_rule, expected_level, expected_rule_ids, forbidden_rule_ids, expect_no_rule, expected_fields; "events" with "at" (seconds) is a sequence.',
        'Rules with <time> or <weekday> read the clock of the machine, unless a case sets it: "now": "2026-01-05T22:30:00-03:00" in JSON, and "; now = 2026-01-05T22:30:00-03:00" above a section in .ini files. The zone is that of the manager. A case whose result depends on the clock of the machine is named.',
        'The formats github and sarif also contain the diagnostics of the content of --custom. Their paths are relative to the root of the repository.',
        'Coverage counts the rules and decoders of --custom, or of the base ruleset without --custom. A rule that Wazuh drops counts as untested.',
        'Errors and warnings in the content of --custom are reported on standard error. With an error the exit code is 1, even if Wazuh only drops one rule and every case passes. It is also 1 if there is no case, unless --allow-empty is given.',
      ],
      options: {
        format: 'output format (default: pretty)',
        strict: 'cases whose result depends on the clock of the machine, and cases with unknown members, fail',
        untested: 'list the rules and decoders that no case covers',
        'cases-only': 'leave the diagnostics of the content out of every report; validate reports them',
        'allow-empty': 'succeed without any case',
        verbose: 'list passed cases too',
        watch: 'run again when a file of the content or of the cases changes. It ends with standard input or Ctrl-C',
      },
      examples: [
        'your own content against your own suites',
        "one of Wazuh's suites on its ruleset",
        'for CI',
        'failures and diagnostics at their lines, on GitHub',
        'what has no test yet',
        'also fail cases that may pass today and fail at night',
        'several reports of one run, beside those of validate',
        'while you edit',
      ],
    },
    generate: {
      summary: 'make events that fire rules: for each rule its own, run by the engine, or the reason why there are none',
      usage: ['[--ruleset DIR] [--custom PATH] [--rule RULE_ID] [--near]', '--jsonl > witnesses.jsonl'],
      description: [
        'For each rule the smallest readable event is sought whose final rule it is, or a sequence of events with times for a rule that counts. With --custom, events are made for the rules of that content only; with --rule, for the named rules; with neither, for all rules of the ruleset. Each result was run before it is printed, with another name of the manager, too, and at another time unless the rule reads the clock.',
        'A rule without events "cannot fire", which is proven and says what excludes what, or it is "unknown". Alerts of another manager, which name their rule without any test, are not counted as events; events of internal modules, such as those of syscheck, have no log. The exit code is 0 also if rules cannot fire.',
        'With --jsonl each line is {"rule_id", "status": "fires" | "cannot_fire" | "unknown", "events": [{"event", "log_format", "location"?, "advance"?}], "near", "reason": {"code", "text"} | null}. "advance" is the number of seconds before the event, 1 if it is absent; the first event of a session comes that long after 1700000000 (UTC). "near" is [{"option", "field", "rule_id", "events"}]: events that fail this option of the rule, and the rule that takes the last one.',
        "Formats of --output are json and ini (suites for the command test; Wazuh's format has neither locations nor times, so rules that need them are only named), jsonl and html.",
      ],
      options: {
        rule: 'only this rule; can be repeated',
        near: 'also the nearest events that do not fire the rule: for each condition of its own, events that fail only that one',
        jsonl: 'JSON lines, in the order of the rules',
      },
      examples: ['events for your own rules', 'a rule, and what just misses it', 'a suite of cases on both sides of each condition', 'all rules of a Wazuh installation'],
    },
    regex: {
      summary: 'run a pattern (osregex, osmatch or pcre2) on texts: whether and where it matched, and captures',
      usage: ['[--engine osregex|osmatch|pcre2] PATTERN [INPUT...]', '--jsonl < trials.jsonl'],
      description: [
        'Without INPUT, the lines of standard input are used. Differences to the other dialects are shown: a <match> is osmatch, a <regex> is osregex, and both can be pcre2 with type="pcre2". Exit code 1: no input matched, or the pattern does not compile.',
        'With --jsonl an input line is {"engine", "pattern", "input", "substrings", "case_sensitive"}; the output line is {"compiled", "error"?, "matched", "end", "captures"}; "end" is the byte offset of the last matched byte (null for osmatch).',
      ],
      options: {
        engine: 'dialect of the pattern (default: osregex)',
        'case-sensitive': 'the flag OS_CASE_SENSITIVE, with which capitals in the pattern never match',
        captures: 'match as decoders do (default); --no-captures: as rules do, which can change what an osregex matches',
        quiet: 'only the exit code',
      },
      examples: ["a decoder's regex", 'on every line of a log', "a rule's match"],
    },
    bench: {
      summary: 'measure the speed of a ruleset on your events; --profile: find its most expensive parts',
      usage: ['EVENTS [--ruleset DIR] [--custom PATH]'],
      description: [
        'EVENTS is a file with one event per line, or JSON lines with an "event" member and optionally a "kind"; - is standard input. One thread is measured after a warm-up: events per second by stage, latency percentiles, and compile times (cold, and 50 small rules on the compiled base).',
        'With --profile each rule, decoder and pattern is timed: how often it was tried, matched, or excluded by a prefilter, most expensive first.',
      ],
      options: {
        seconds: 'how long to measure (default: {seconds})',
        profile: 'measure each rule, decoder and pattern',
        json: 'print the numbers as JSON',
      },
      examples: ['the shipped rules on your log', 'the most expensive of your rules', 'for CI'],
    },
    schema: {
      summary: 'print all tags and attributes of rules and decoders as JSON; --diagnostics: all codes as Markdown',
      usage: ['[--locale LOCALE]', '--diagnostics [--locale LOCALE]'],
      description: ['Prints the ValidationSchemaResponse, which editors use for completion and checks, or the reference of all diagnostic codes.'],
      options: { diagnostics: 'the reference of all diagnostic codes, in Markdown' },
      examples: ['all tags of rules', 'the codes, in Portuguese'],
    },
    explain: {
      summary: 'print the page about a diagnostic: cause, effect in Wazuh, a wrong and a right example',
      usage: ['CODE...'],
      description: ['CODE is the code of a diagnostic, or the number that Wazuh prints before its own message. The pages are Markdown.'],
      options: {},
      examples: ['one code', 'every code of this message of Wazuh'],
    },
    lsp: {
      summary: 'start a language server for editors: diagnostics, completion, hover, references',
      usage: ['--stdio [--ruleset DIR] [--custom PATH]'],
      description: [
        'Editors start it themselves; server/language/EDITORS.md has their settings. The content is that of --custom, or else the folder that is open in the editor, on top of --ruleset, as validate compiles it. Files that are not saved yet are included.',
        'Instead of the options, the editor can send the initialization options "ruleset", a text, and "custom", a list; their paths are relative to its folder.',
      ],
      options: {
        stdio: 'speak the protocol on standard input and output',
        'help-url': 'where the output of schema --diagnostics is published; diagnostics link to the heading of their code',
      },
      examples: ['the folder of the editor, on the shipped rules', 'your content on the ruleset of your manager'],
    },
    playground: {
      summary: 'edit and try content on a page in the browser',
      usage: ['[--port N]', 'DIR [--ruleset DIR] [--port N]', '--export DIR'],
      description: [
        'Prints the address of the page, and serves it on 127.0.0.1 until it is stopped. The engine runs in the browser: nothing that is typed leaves this machine.',
        'With DIR the requests are served by which a page opens the rules, decoders, lists and cases in that folder, as validate and test see them, and saves into it. The page does not send them yet: it shows its example. A file that has changed on disk since it was read is not overwritten. Nothing outside of the folder is read or written, and links in it are not followed. The address contains a secret, without which the folder cannot be read.',
        'With --export DIR the page is written to a new folder, for any web server.',
      ],
      options: {
        port: 'port to listen on; 0: any free one (default: {port})',
        export: 'write the page to this folder, which is new or empty, and end',
      },
      examples: ['the page with an example', 'your own content', 'your content on the ruleset of your manager', 'the page for a web server'],
    },
    serve: {
      summary: 'start the HTTP service',
      usage: ['[--accept-new-secret-key]'],
      description: [
        'Listens on http://127.0.0.1:8080 until it is stopped. By default it stores its data in ./data and needs no database.',
        'Settings are environment variables: {settings}.',
      ],
      options: {
        'accept-new-secret-key':
          'start with a secret key that is not the one of the store: sessions, API keys, tokens of SCIM, invitations, password resets, authenticators of second factors (recovery codes are kept), client secrets of identity providers, webhook secrets and credentials of integrations of the former key are lost. Without this option the start is refused',
      },
      examples: ['the embedded store in ./data', 'with NATIVE_SERVICE_MONGODB_URL and NATIVE_SERVICE_SECRET_KEY set: MongoDB', 'the former secret key is lost'],
    },
    backup: {
      summary: 'write the whole store to one file',
      usage: ['[--data-dir DIR | --mongodb-url URL] FILE'],
      description: [
        'FILE is a gzip of JSON lines with a checksum. It replaces an existing file when it is complete. Only you can read it, because it contains password hashes.',
        'The service can run meanwhile. The backup of an embedded store has the state at its start; changes in a MongoDB during the backup may be in it or not.',
        'Keep the secret key of the service with it (NATIVE_SERVICE_SECRET_KEY, or the one generated in its data folder): the restored service refuses to start with another one.',
      ],
      options: {},
      examples: ['the embedded store', 'a MongoDB'],
    },
    restore: {
      summary: 'fill an empty store from a backup',
      usage: ['[--data-dir DIR | --mongodb-url URL] FILE'],
      description: [
        'FILE was written by backup, from either kind of store. The whole file is checked before anything is written; a store that is not empty is not changed. After an interrupted restore the service does not start until the restore is repeated.',
        'Start the service afterwards with the secret key that it had. It refuses another one, because the backup contains a fingerprint of the key.',
      ],
      options: {},
      examples: ['into a new data folder'],
    },
  },
} as const
