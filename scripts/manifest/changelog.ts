import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = 'CHANGELOG.md'

/** Returns the sections of the changelog in one folder that the other does not have, newest first. */
export function changelogBetween(base: string, target: string): string {
  const former = readSections(base)
  return readSections(target)
    .filter((section) => !former.includes(section))
    .join('\n\n')
}

export function changelogVersions(folder: string): string[] {
  return [...readFileSync(join(folder, file), 'utf8').matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(
    ([, version = '']) => version,
  )
}

function readSections(folder: string): string[] {
  if (!existsSync(join(folder, file))) return []
  const sections = readFileSync(join(folder, file), 'utf8').split(/^(?=## )/m)
  return sections.filter((section) => section.startsWith('## ')).map((section) => section.trimEnd())
}
