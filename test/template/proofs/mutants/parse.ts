import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** A source file without its types. Positions are those of the TypeScript file, because types become spaces. */
export interface ParsedFile {
  readonly text: string
  readonly tree: SourceFile
}

/** Parses files with the compiler of the project. A virtual project of JavaScript files needs no type check. */
export function parseFiles(files: readonly string[]): readonly ParsedFile[] {
  const texts = files.map((file) => stripTypeScriptTypes(readFileSync(file, 'utf8')))
  return parseTexts(texts)
}

export function parseTexts(texts: readonly string[]): readonly ParsedFile[] {
  const folder = '/mutants'
  const config = `${folder}/tsconfig.json`
  const contents = new Map(texts.map((text, index) => [`${folder}/${index}.js`, text]))
  const compilerOptions = { allowJs: true, noLib: true, noResolve: true, types: [] }
  const settings = JSON.stringify({ compilerOptions, files: [...contents.keys()] })
  const api = new API({ fs: { readFile: (file) => (file === config ? settings : contents.get(file)) } })
  try {
    const program = api.updateSnapshot({ openProjects: [config] }).getProject(config)?.program
    return [...contents].map(([file, text]) => {
      const tree = program?.getSourceFile(file)
      if (!tree) throw new Error(`The compiler did not parse ${file}.`)
      return { text, tree }
    })
  } finally {
    api.close()
  }
}
