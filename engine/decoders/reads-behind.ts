/** Whether it counts where the prematch of a decoder ends. */
import type { CompiledDecoder, Offset } from '../event/decoder.js'

/** Whether the end of its prematch is asked for, by itself or by a child. */
export function readsBehind({ regexOffset, definition, children }: CompiledDecoder): boolean {
  const isBehind = (offset: string): boolean => offset === 'after_prematch' || offset === 'after_parent'
  return (
    isBehind(regexOffset) ||
    isBehind(definition.plugin?.offset ?? 'none') ||
    children.some((child) => isBehind(prematchOffset(child)) || isBehind(child.regexOffset) || isBehind(child.definition.plugin?.offset ?? 'none'))
  )
}

/** Where its prematch begins to read. */
export function prematchOffset({ definition }: CompiledDecoder): Offset {
  return definition.prematch?.offset ?? 'none'
}
