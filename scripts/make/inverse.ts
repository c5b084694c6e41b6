import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { singularize } from 'inflection'
import { root } from '../support/project.ts'
import { format } from './format.ts'
import { inverseName } from './names.ts'
import { importing, type ResourcePlan } from './sources.ts'
import type { Target } from './targets.ts'

/** An inverse relation: a property of the related entity and a field of the related type. */
export interface Inverse {
  readonly name: string
  readonly target: Target
  readonly importLine: string
  readonly propertyLine: string
  readonly builder: string
  readonly fieldLine: string
}

export function planInverses({ names, relations, targets }: ResourcePlan): Inverse[] {
  return relations.flatMap((relation) => {
    const target = targets.get(relation.target) as Target
    if (target.type === names.type) return []
    const isOnly = relations.filter((other) => other.target === relation.target).length === 1
    const property = singularize(relation.name)
    const name = inverseName({ property, rows: names.many, isOnly, isSelf: false, isOne: false })
    const kind = relation.toMany ? 'manyToMany' : 'oneToMany'
    const builder = relation.toMany ? 'belongsToMany' : 'hasMany'
    return {
      name,
      target,
      importLine: importing(names.entity, `#resources/${names.type}/entity.ts`),
      propertyLine: `${name}: () => p.${kind}(${names.entity}).mappedBy('${relation.name}'),`,
      builder,
      fieldLine: `${builder}('${name}', '${names.type}'),`,
    }
  })
}

/** Adds both lines to the files of the related type. Returns false, and changes nothing, if their form is unknown. */
export async function applyInverse(inverse: Inverse): Promise<boolean> {
  const files = [inverse.target.entityFile, inverse.target.resourceFile].map((file) => join(root, file))
  const [entity = '', resource = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const edited = [withProperty(entity, inverse), withField(resource, inverse)]
  if (edited.includes(null)) return false
  await Promise.all(files.map((file, index) => writeFile(file, edited[index] as string)))
  await format(...files)
  return true
}

function withProperty(source: string, { name, target, importLine, propertyLine }: Inverse): string | null {
  const entity = source.indexOf(`  name: '${target.entity}',\n`)
  const start = source.indexOf('\n  properties: {\n', entity)
  const end = source.indexOf('\n  },\n', start)
  if (entity < 0 || start < 0 || end < 0) return null
  if (new RegExp(`^ {4}${name}:`, 'm').test(source.slice(start, end))) return null
  const imported = source.includes(importLine) ? '' : `${importLine}\n`
  return `${imported}${source.slice(0, end)}\n    ${propertyLine}${source.slice(end)}`
}

function withField(source: string, { name, builder, fieldLine }: Inverse): string | null {
  const heads = [...source.matchAll(/^ {2}fields: \(\{([^}]*)\}\) => \[(\n?)/gm)]
  const [head] = heads
  if (!head || heads.length > 1 || source.includes(`('${name}'`)) return null
  const [text, names = '', lineBreak] = head
  const body = head.index + text.length
  const end = source.indexOf(lineBreak ? '\n  ],\n' : '],\n', body)
  if (end < 0) return null
  const builders = names.split(',').flatMap((name) => name.trim() || [])
  const opening = `  fields: ({ ${[...new Set([...builders, builder])].join(', ')} }) => [${lineBreak}`
  const fields = source.slice(body, end).replace(/,$/, '')
  return `${source.slice(0, head.index)}${opening}${fields}, ${fieldLine}${source.slice(end)}`
}
