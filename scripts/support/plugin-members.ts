import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { root } from './project.ts'

export interface PluginMember {
  readonly name: string
  /** Its doc comment on one line. */
  readonly comment: string
}

export const pluginParts = ['PluginDefinition', 'BootHooks', 'PlanHooks', 'RequestHooks'] as const

type Part = (typeof pluginParts)[number] | 'Stages' | 'TypeStages'

/** The file that declares the part. */
export function declaringFile(part: Part): string {
  return part === 'Stages' || part === 'TypeStages' ? 'app/kernel/contract/stages.ts' : 'app/kernel/contract/plugin.ts'
}

/** Returns the members of one part of `Plugin` and their comments, in the order of the source: the call order. */
export function readPluginMembers(part: Part): PluginMember[] {
  const source = readFileSync(resolve(root, declaringFile(part)), 'utf8')
  const [, body = ''] = new RegExp(`^export interface ${part} \\{\\n(.*?)^\\}`, 'ms').exec(source) ?? []
  const members = body.matchAll(/^ {2}\/\*\*(.*?)\*\/\n {2}(?:readonly )?(\w+)\??(?:<T>)?[:(]/gms)
  return [...members].map(([, comment = '', name = '']) => ({
    name,
    comment: comment.replace(/\s+(\* )?/g, ' ').trim(),
  }))
}
