/** The table of decoder options, in the order of the schema. Parser, checks, comparison of contents and schema walk it; a new option is one file and one line here. */
import { findIn } from '../../xml/tag-option.js'
import { accumulate } from './accumulate.js'
import { fts } from './fts.js'
import { ftsComment } from './fts-comment.js'
import { jsonArrayStructure, jsonNullField } from './json.js'
import type { DecoderOption } from './option.js'
import { order } from './order.js'
import { parent } from './parent.js'
import { prematch, programName, regex } from './patterns.js'
import { pluginDecoder } from './plugin-decoder.js'
import { type } from './type.js'
import { useOwnName } from './use-own-name.js'

export const DECODER_OPTIONS: readonly DecoderOption[] = [
  parent,
  programName,
  prematch,
  regex,
  order,
  type,
  useOwnName,
  pluginDecoder,
  accumulate,
  fts,
  ftsComment,
  jsonNullField,
  jsonArrayStructure,
]

/** Returns the option of a tag name; undefined if there is none. */
export const findDecoderOption = findIn(DECODER_OPTIONS)
