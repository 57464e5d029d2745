/** The content: its files as tabs, the editor, and what is wrong. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { FileKind } from '#engine'
import { addressOf } from '../../worker/addresses.js'
import type { CodeCommands } from '../editor/code-commands.js'
import type { CodeCommand } from '../editor/code-keys.js'
import type { ContentEditor } from '../editor/content-editor.js'
import { type Problem, problemsOf } from '../editor/problems.js'
import { unsavedOf } from '../model/home.js'
import type { EditedFile } from '../model/state.js'
import type { Texts } from '../texts/index.js'
import { Icon } from './icons.js'
import { Menu, type MenuItem } from './menu.js'
import { NameDialog } from './name-dialog.js'
import { PlainContent } from './plain-text.js'
import { Problems } from './problems.js'
import type { Props } from './props.js'
import type { EditorProps } from './use-editors.js'

/** Commands on the code at the cursor, in the order of the menu. In a file of the base nothing is changed. */
const COMMANDS: readonly CodeCommand[] = ['outline', 'definition', 'uses', 'help', 'rename', 'format']
const READING_COMMANDS: readonly CodeCommand[] = ['outline', 'definition', 'uses', 'help']

const KINDS: readonly FileKind[] = ['rules', 'decoders', 'lists']

export function ContentPane(props: EditorProps) {
  const { page, state, texts, editors } = props
  const { diagnosis, diagnosed, stock } = state
  const problems = useMemo(() => problemsOf({ diagnosis, diagnosed }), [diagnosis, diagnosed])
  const active = state.files.find(({ id }) => id === state.activeFile) ?? null
  const [commands, setCommands] = useState<CodeCommands | null>(null)
  return (
    <>
      {stock === null ? <FileTabs {...props} problems={problems} active={active} commands={commands} /> : <StockBar {...props} commands={commands} />}
      <EditorArea {...props} problems={problems} active={active} onCommands={setCommands} />
      {editors !== null && commands !== null && <editors.CodeDialogs {...props} commands={commands} />}
      {active === null && stock === null && <p class="empty">{texts.files.empty}</p>}
      <Problems page={page} state={state} texts={texts} problems={problems} />
    </>
  )
}

interface FilesProps extends Props {
  readonly problems: readonly Problem[]
  readonly active: EditedFile | null
}

interface CommandProps {
  readonly commands: CodeCommands | null
}

/** @param names which of them */
function commandItems({ code }: Texts, names: readonly CodeCommand[], commands: CodeCommands | null): readonly MenuItem[] {
  return names.map((name): MenuItem => ({ label: code[name], act: () => void commands?.run(name) }))
}

function FileTabs({ page, state, texts, problems, active, commands }: FilesProps & CommandProps) {
  const { files } = texts
  const [isRenamed, setRenamed] = useState(false)
  const { home } = state
  const unsaved = useMemo(() => new Set(home === null ? [] : unsavedOf(state, home).map(({ id }) => id)), [state.files, state.cases, home])
  const faulty = new Set(problems.filter(({ record }) => record.severity === 'error').map(({ file }) => file?.id))
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0 || active === null) return
    const next = state.files[(state.files.indexOf(active) + step + state.files.length) % state.files.length]
    page.files.select(next.id)
    document.getElementById(`file-${next.id}`)?.focus()
  }
  return (
    <div class="bar tabs-bar">
      <div class="tabs" role="tablist" aria-label={files.label} onKeyDown={move}>
        {state.files.map((file) => (
          <button
            type="button"
            key={file.id}
            id={`file-${file.id}`}
            class={`tab kind-${file.kind}`}
            role="tab"
            aria-selected={file === active}
            aria-controls="editor"
            tabIndex={file === active ? 0 : -1}
            title={`${texts.kinds[file.kind]}: ${(home?.kind === 'folder' ? home.files.get(file.id)?.path : undefined) ?? file.filename}`}
            onClick={() => page.files.select(file.id)}
          >
            <span class="kind" aria-hidden="true" />
            {shortName(file)}
            {home?.files.get(file.id)?.isReadOnly === true && (
              <span title={texts.home.fileReadOnly} role="img" aria-label={texts.home.fileReadOnly}>
                <Icon name="lock" />
              </span>
            )}
            {home?.conflicts.has(file.id) === true ? (
              <span class="tab-conflict" title={texts.home.conflicts(1)}>
                <Icon name="warning" />
              </span>
            ) : (
              unsaved.has(file.id) && <span class="tab-unsaved" role="img" aria-label={texts.home.unsaved} title={texts.home.unsaved} />
            )}
            {faulty.has(file.id) && <span class="tab-fault" title={texts.severities.error} />}
          </button>
        ))}
      </div>
      <Menu
        label={files.add}
        class="button quiet icon-only"
        items={KINDS.filter((kind) => kind === 'lists' || home === null || home.service === null).map((kind) => ({ label: texts.kinds[kind], act: () => page.files.add(kind) }))}
      >
        <Icon name="plus" />
      </Menu>
      <span class="space" />
      <button type="button" class="button quiet views-button" title={texts.views.open} onClick={() => page.views.open('map', null)}>
        <Icon name="graph" />
        <span>{texts.views.title}</span>
      </button>
      {active !== null && (
        <Menu
          label={files.actions}
          class="button quiet icon-only"
          items={[
            ...(active.kind === 'lists' ? [] : commandItems(texts, COMMANDS, commands)),
            ...(active.kind === 'rules'
              ? [
                  { label: files.graphAtCursor, act: () => page.views.openGraphAt(active, commands?.offset ?? 0) },
                  { label: files.graph, act: () => page.views.open('graph', { kind: 'file', filename: active.filename }) },
                ]
              : []),
            // The service has one file of rules and one of decoders.
            ...(active.kind === 'lists' || home === null || home.service === null
              ? [
                  { label: files.rename, act: () => setRenamed(true) },
                  { label: files.remove, act: () => page.files.delete(active.id) },
                ]
              : []),
          ]}
        >
          <Icon name="dots" />
        </Menu>
      )}
      {isRenamed && active !== null && (
        <NameDialog
          title={files.rename}
          label={files.newName}
          name={active.filename}
          texts={texts}
          rename={(name) => (page.files.rename(active.id, name) ? null : files.nameTaken)}
          onClose={() => setRenamed(false)}
        />
      )}
    </div>
  )
}

/** A list has a path, whose last part says which one it is. */
function shortName({ kind, filename }: EditedFile): string {
  return kind === 'lists' ? filename.replace(/^etc\//, '') : filename
}

function StockBar({ page, state, texts, commands }: Props & CommandProps) {
  const { stock } = state
  if (stock === null) return null
  const rule = stock.kind === 'rules' ? ruleAt(stock.content, stock.line) : null
  const close = (): void => {
    page.files.closeStock()
    // The button is gone then.
    document.querySelector<HTMLElement>('#editor .cm-content')?.focus()
  }
  return (
    <div class="bar stock-bar">
      <button type="button" class="button quiet" onClick={close}>
        <Icon name="close" />
        <span class="back-text">{texts.files.back}</span>
      </button>
      <span class="stock-name">{stock.filename}</span>
      <span class="muted">{texts.files.readOnly}</span>
      <span class="space" />
      {stock.kind === 'rules' && (
        <button type="button" class="button quiet" onClick={() => page.views.openGraphAt(stock, commands?.offset ?? 0)}>
          <Icon name="graph" />
          {texts.views.graph}
        </button>
      )}
      {rule !== null && (
        <button type="button" class="button" onClick={() => void commands?.override(rule, stock.line)}>
          {texts.files.override(rule)}
        </button>
      )}
      <Menu label={texts.code.label} class="button quiet icon-only" items={commandItems(texts, READING_COMMANDS, commands)}>
        <Icon name="dots" />
      </Menu>
    </div>
  )
}

/** Id of the rule that begins in a line. */
function ruleAt(content: string, line: number): string | null {
  const text = content.split('\n', line).at(-1) ?? ''
  return /<rule\b[^>]*\bid\s*=\s*["'](\d+)["']/.exec(text)?.[1] ?? null
}

interface EditorAreaProps extends FilesProps, EditorProps {
  readonly onCommands: (commands: CodeCommands) => void
}

function EditorArea({ page, state, texts, editors, onWrite, problems, active, onCommands }: EditorAreaProps) {
  const { stock, target } = state
  const box = useRef<HTMLDivElement>(null)
  const editor = useRef<ContentEditor | null>(null)
  const commands = useRef<CodeCommands | null>(null)
  const hasFocus = useRef(false)
  // Before the next frame, so that the text stays in sight.
  useLayoutEffect(() => {
    if (editors === null) return
    const made = new editors.ContentEditor(box.current as HTMLDivElement, {
      onChange: (contents) => page.files.editAll(contents),
      onFix: (file, fix) => page.files.fix(file, fix),
      onStep: (step, isUndone) => commands.current?.afterStep(step, isUndone),
      onExplain: (code) => void page.showPage(code),
      contentOf: (id) => page.store.state.files.find((file) => file.id === id)?.content ?? null,
    })
    editor.current = made
    commands.current = new editors.CodeCommands(page, made)
    onCommands(commands.current)
    return () => made.destroy()
  }, [editors])
  const isAnswered = state.diagnosis !== null
  useEffect(() => {
    const { current } = commands
    if (!isAnswered || editors === null || current === null) return
    editor.current?.setLanguage((file) => [current.extension(), file.kind === 'lists' ? [] : editors.languageOf(addressOf(file), page.askLanguage)])
  }, [editors, isAnswered, state.locale, state.base])
  useLayoutEffect(() => {
    const { current } = editor
    if (current === null) return
    if (stock !== null) current.showStock(stock, texts)
    else if (active !== null) {
      // What has been typed since this was drawn is in the store already.
      const newest = page.store.state.files.find(({ id }) => id === active.id) ?? active
      current.show(newest, texts, page.home.isReadOnly(active.id))
      if (state.diagnosed.includes(newest)) current.mark(problems, texts)
    }
    if (target === null || stock !== null || target.file !== active?.id) return
    current.goTo(target.from, target.to)
    page.store.update({ target: null })
  }, [editors, active, stock, problems, target, texts])
  useEffect(() => {
    if (active !== null) editor.current?.setTexts(texts, texts.files.editor(active.filename))
  }, [texts])
  useLayoutEffect(() => {
    if (hasFocus.current) editor.current?.view.focus()
  }, [editors])
  const shown = stock ?? active
  return (
    <div id="editor" class="editor" ref={box} hidden={shown === null}>
      {editors === null && shown !== null && <PlainContent label={texts.files.editor(shown.filename)} text={shown.content} hasFocus={hasFocus} onWrite={onWrite} />}
    </div>
  )
}
