/**
 * `--watch`: runs a command again when its files change. The operating system reports the changes; editors write, rename and write again, so a run begins when
 * there was no change for a moment. It ends with standard input, as `esbuild --watch` does, or by a signal.
 */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Readable } from 'node:stream'
import type { CommandContext } from './command.js'
import { EXIT, type ExitCode } from './exit-codes.js'
import { PROGRAM } from './help.js'
import { OutputClosed } from './terminal/output.js'
import { UsageError } from './usage-error.js'

/** Milliseconds without a change before a run. */
const SETTLE_MS = 20

type Context = Pick<CommandContext, 'stdin' | 'stdout' | 'stderr' | 'isTTY' | 'locale' | 'paint'>

/** The paths below which something has changed; for the first run all of them. */
export type ChangedPaths = ReadonlySet<string>

/** @param paths files and folders @param run called for the first run, and after each change @returns the exit code of the last run */
export async function watchFiles(context: Context, paths: readonly string[], run: (changed: ChangedPaths) => Promise<ExitCode>): Promise<ExitCode> {
  const { stdin, isTTY } = context
  let last: ExitCode = EXIT.fine
  let isRunning = false
  let changed = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let fail: (fault: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // It may fail before anything waits for it.
  failed.catch(() => {})
  const watchers = watchAll(paths, (path) => {
    changed.add(path)
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(() => again().catch(fail), SETTLE_MS)
  })
  const again = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    while (changed.size > 0) {
      const now = changed
      changed = new Set()
      last = await report(context, () => run(now))
    }
    isRunning = false
  }
  try {
    last = await report(context, () => run(new Set(paths)))
    await Promise.race(isTTY.stdin ? [failed] : [failed, ended(stdin)])
  } finally {
    if (timer !== null) clearTimeout(timer)
    for (const one of watchers) one.close()
  }
  return last
}

/** Runs once. Nothing that is wrong with files ends the watch, because the next change may correct it: one that is missing for a moment, half written, or that finds a fault of ours. */
async function report({ stdout, stderr, locale, paint }: Context, run: () => Promise<ExitCode>): Promise<ExitCode> {
  await stdout.line(paint.dim(`── ${new Date().toLocaleTimeString(locale)}`))
  try {
    return await run()
  } catch (fault) {
    if (fault instanceof OutputClosed) throw fault
    if (fault instanceof UsageError) await stderr.line(fault.localize(PROGRAM, locale))
    else {
      const { code, message, stack } = fault as NodeJS.ErrnoException
      await stderr.line(`${PROGRAM}: ${typeof code === 'string' ? message : (stack ?? message)}`)
    }
    return EXIT.usage
  }
}

/** A file is watched through its folder, because editors replace files. */
function watchAll(paths: readonly string[], onChange: (path: string) => void): FSWatcher[] {
  return [...new Set(paths)].map((path) => {
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
    const watcher = watch(isFolder ? path : dirname(path), { recursive: isFolder }, (_, name) => {
      if (isFolder || name === null || name === basename(path)) onChange(path)
    })
    // The folder may be deleted. Its last content stays.
    return watcher.on('error', () => {})
  })
}

async function ended(stdin: Readable): Promise<void> {
  if (stdin.readableEnded) return
  stdin.resume()
  await new Promise<void>((resolve) => {
    stdin.once('end', resolve)
    stdin.once('close', resolve)
  })
}
