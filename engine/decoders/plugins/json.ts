/** JSON_Decoder (BEHAVIOUR.md#json-decoder): every member of a JSON object becomes a field. */
import { STATIC_INDEX } from '../../event/static-fields.js'
import type { FlatFields } from '../../json/flat-fields.js'
import { flattenJson } from '../../json/flatten.js'
import { jsonArrayStructure, jsonNullField } from '../options/json.js'
import type { PluginContext } from './plugin.js'

export function decodeJson(context: PluginContext): void {
  const { event, reported } = context
  const { definition } = reported
  let from = 0
  switch (definition.plugin?.offset ?? 'none') {
    case 'after_parent':
      // Only a child that its own prematch selected knows where its parent ended.
      if (definition.parent === null) return
      from = context.afterParent
      break
    case 'after_prematch':
      from = context.afterPrematch
      break
    case 'after_regex':
      return
    case 'none':
  }
  const fields = context.flatFields
  if (from < 0 || !flattenJson(event.log, from, context.jsonRoot, { nulls: definition.valueOf(jsonNullField), arrays: definition.valueOf(jsonArrayStructure) }, fields)) return
  takeFields(context, fields)
}

/** Passes flattened members of the log to the event: whole names of a static field set it, all others are dynamic. */
export function takeFields(context: PluginContext, fields: FlatFields): void {
  const { log, statics, names } = context.event
  const { count, shape } = fields
  if (shape !== null && names.length === 0) {
    for (const { place, index } of shape.statics) context.setStatic(index, fields.valueAt(place, log))
    context.addFields(fields)
    return
  }
  fields.fill()
  let dynamic = 0
  for (let i = 0; i < count; i++) {
    const path = fields.paths[i]
    const field = path.staticIndex >= 0 ? path.staticIndex : path.isUser && !statics[STATIC_INDEX.dstuser] ? STATIC_INDEX.dstuser : -1
    if (field >= 0) context.setStatic(field, fields.valueAt(i, log))
    else {
      if (dynamic < i) fields.move(i, dynamic)
      dynamic++
    }
  }
  fields.count = dynamic
  context.addFields(fields)
}
