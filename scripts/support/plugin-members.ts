import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { root } from './project.ts'

export interface PluginMember {
  readonly name: string
  /** What its comment says, on one line; empty without a comment. */
  readonly moment: string
}

/** The members of `Plugin` besides its name, as its source lists them: in the order in which they are called. */
export function readPluginMembers(): PluginMember[] {
  const source = readFileSync(resolve(root, 'app/kernel/model/plugin.ts'), 'utf8')
  const [, body = ''] = /^export interface Plugin \{\n(.*?)^\}/ms.exec(source) ?? []
  const members = body.matchAll(/^(?: {2}\/\*\* (.*?) \*\/\n)? {2}(?:readonly )?(\w+)\??[:(]/gm)
  return [...members].map(([, moment = '', name = '']) => ({ name, moment })).filter(({ name }) => name !== 'name')
}
