import { StartupError } from '#store'
import type { Terminal } from '../make/prompt.ts'
import type { Identity } from './project.ts'

export interface Answers {
  readonly name: string
  /** As `--plugins` accepts them; undefined for the default. */
  readonly plugins: string | undefined
}

/** Prompts for the name, and for the optional plugins to keep, until each answer is valid. An empty line keeps none of them. */
export async function promptForProject(terminal: Terminal, optional: readonly string[]): Promise<Answers> {
  const name = await promptForName(terminal)
  if (optional.length === 0) return { name, plugins: undefined }
  terminal.print(`Optional plugins: ${optional.join(', ')}. docs/features.md describes them.`)
  const chosen = await promptForPlugins(terminal, optional)
  return { name, plugins: chosen.length > 0 ? ['default', ...chosen].join(',') : undefined }
}

/** Throws if the name is invalid. Without a title, the title is made of the words of the name. */
export function toIdentity(name: string, title?: string): Identity {
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) {
    throw new StartupError(`'${name}' is not a name for a project: lower-case letters, digits, '-', '.' and '_'.`)
  }
  const words = name.split(/[._-]+/).filter(Boolean)
  return { name, title: title ?? words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join(' ') }
}

async function promptForName({ prompt, print }: Terminal): Promise<string> {
  while (true) {
    const name = (await prompt('Name of the project, such as my-app: ')).trim()
    try {
      return toIdentity(name).name
    } catch (error) {
      if (!(error instanceof StartupError)) throw error
      print(error.message)
    }
  }
}

async function promptForPlugins({ prompt, print }: Terminal, optional: readonly string[]): Promise<string[]> {
  while (true) {
    const answer = await prompt('Names to add, separated by commas (none): ')
    const names = answer
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
    const unknown = names.find((name) => !optional.includes(name))
    if (unknown === undefined) return names
    print(`'${unknown}' is not an optional plugin: ${optional.join(', ')}.`)
  }
}
