import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Removes a file or a folder, and parent folders that are empty then. */
export function removePart(root: string, part: string): void {
  rmSync(join(root, part), { recursive: true, force: true })
  let folder = dirname(part)
  while (folder !== '.' && existsSync(join(root, folder)) && readdirSync(join(root, folder)).length === 0) {
    rmSync(join(root, folder), { recursive: true })
    folder = dirname(folder)
  }
}
