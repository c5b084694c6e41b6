import { createRepository, type Files, type Repository } from '#test/template/support/template-repository.ts'

/** Twelve lines, so that changes at both ends do not touch. */
export function lines(changes: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: 12 }, (_, index) => `${changes[index + 1] ?? `// line ${index + 1}`}\n`).join('')
}

export const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const manifest = {
  name: 'template',
  version: '0.1.0',
  type: 'module',
  imports: { '#plugins/*': './plugins/*' },
  scripts: { check: 'node -e 0', doctor: 'node -e 0', lint: 'lint', unused: 'x' },
  dependencies: { koa: '1.0.0', pg: '1.0.0', joi: '1.0.0' },
}

const firstVersion: Files = {
  'package.json': json(manifest),
  'CHANGELOG.md': '# Changelog\n\n## 0.1.0\n\nFirst version.\n',
  '.template/owned': 'app/*.ts\nresources/**\n',
  '.template/manifest.json': json({ version: '0.1.0', files: {} }),
  'app/main.ts': '// main of the template\n',
  'app/kernel/untouched.ts': '// one\n',
  'app/kernel/edited.ts': lines(),
  'app/kernel/conflicting.ts': lines(),
  'app/kernel/deleted.ts': '// one\n',
  'app/kernel/removed.ts': '// one\n',
  'app/kernel/removed-edited.ts': '// one\n',
  'app/kernel/moved.ts': lines(),
  'resources/notes/resource.ts': '// notes\n',
  'plugins/search/index.ts': 'export const search = 1\n',
  'plugins/cors/index.ts': 'export const cors = 1\n',
  'test/support/logo.png': 'a\0b',
}

const secondVersion: Files = {
  'package.json': json({
    ...manifest,
    version: '0.2.0',
    scripts: { check: 'node -e 0', build: 'build', doctor: 'node -e 0', lint: 'lint --all', unused: 'y' },
    dependencies: { koa: '2.0.0', pg: '2.0.0', ulid: '1.0.0' },
  }),
  'CHANGELOG.md': '# Changelog\n\n## 0.2.0\n\nHooks are renamed.\n\n## 0.1.0\n\nFirst version.\n',
  '.template/manifest.json': json({ version: '0.2.0', files: {} }),
  '.template/codemods/0.2.0.ts': `export const description = 'onWrite becomes beforeSave'
export const rewrite = (source: string) => source.replaceAll('onWrite', 'beforeSave')
`,
  'app/main.ts': '// main of the template 0.2.0\n',
  'app/kernel/untouched.ts': '// two\n',
  'app/kernel/edited.ts': lines({ 12: '// changed by the template' }),
  'app/kernel/conflicting.ts': lines({ 6: '// changed by the template' }),
  'app/kernel/deleted.ts': '// two\n',
  'app/kernel/removed.ts': null,
  'app/kernel/removed-edited.ts': null,
  'app/kernel/moved.ts': null,
  'app/kernel/lib/moved.ts': lines({ 12: '// changed by the template' }),
  'app/kernel/added.ts': '// new\n',
  'resources/notes/resource.ts': '// notes of the template 0.2.0\n',
  'plugins/search/index.ts': 'export const search = 2\n',
  'plugins/search/words.ts': 'export const words = 2\n',
  'plugins/cors/search.test.ts': `import '#plugins/search/index.ts'\n`,
  'plugins/audit/index.ts': 'export const audit = 2\n',
  'plugins/etag/index.ts': 'export const etag = 2\n',
  'test/search.ts': `import '../plugins/search/words.ts'\n`,
  'test/search-helper.test.ts': `import './search.ts'\n`,
  'test/support/logo.png': 'a\0c',
}

/** A template with the tags v0.1.0 and v0.2.0. */
export function createTemplate(): Repository {
  const template = createRepository(firstVersion)
  template.git('tag', 'v0.1.0')
  template.write(secondVersion)
  template.commit('second version')
  template.git('tag', 'v0.2.0')
  return template
}

/** What an owner has changed since version 0.1.0. */
export const ownerChanges: Files = {
  'package.json': json({
    ...manifest,
    name: 'shop',
    version: '7.0.0',
    scripts: { check: 'node -e 0', doctor: 'node -e 0', lint: 'lint', deploy: 'deploy' },
    dependencies: { koa: '1.0.0', pg: '1.5.0', joi: '1.0.0', stripe: '1.0.0' },
  }),
  'app/main.ts': '// main of the owner\n',
  'app/kernel/edited.ts': lines({ 1: '// changed by the owner' }),
  'app/kernel/conflicting.ts': lines({ 6: '// changed by the owner' }),
  'app/kernel/deleted.ts': null,
  'app/kernel/removed-edited.ts': '// changed by the owner\n',
  'app/kernel/moved.ts': lines({ 1: '// changed by the owner' }),
  'resources/notes/resource.ts': '// notes of the owner\n',
  'resources/orders/resource.ts': '// orders\n',
  'plugins/search/index.ts': null,
  'plugins/audit/index.ts': 'export const audit = { onWrite() {} }\n',
  'test/support/logo.png': 'a\0d',
}
