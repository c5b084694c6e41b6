/* global SwaggerUIBundle, SwaggerUIStandalonePreset */

// The page names the documents, because its Content-Security-Policy allows no inline script.
const root = document.getElementById('documentation')

/** Removes the logo, whose inline style the Content-Security-Policy forbids. */
const withoutLogo = () => ({ components: { Logo: () => null } })

/** Parses documents as JSON. Swagger UI parses them as YAML, which takes 0.25 s for 500 kB. */
const jsonParser = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson:
          (_original, { specActions }) =>
          (text) =>
            specActions.updateJsonSpec(JSON.parse(text)),
      },
    },
  },
})

/**
 * Replaces references by their components. Swagger UI also normalizes the document, for each operation that is expanded, which
 * takes 0.6 s: the documents of this service are normal already.
 */
const resolver = () => ({ fn: { resolveSubtree: async (document, path) => resolvePart(document, path) } })

window.ui = SwaggerUIBundle({
  domNode: root,
  urls: JSON.parse(root.dataset.documents),
  layout: 'StandaloneLayout',
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [withoutLogo, jsonParser, resolver],
  deepLinking: true,
  displayOperationId: true,
  docExpansion: 'none',
  syntaxHighlight: { activated: false },
  defaultModelsExpandDepth: 0,
  // Keeps the token in the local storage of the browser until it is removed in the dialog.
  persistAuthorization: true,
  // Sends no document to a validator on another host.
  validatorUrl: null,
  queryConfigEnabled: false,
})

/**
 * Returns the part of a document at a path, without references but those of a component to itself. A component that several
 * references name is resolved once.
 */
function resolvePart(document, path) {
  const find = (names) => names.reduce((value, name) => value?.[name], document)
  /** Resolved components, with the references in them: if the component is inside one of these, it is resolved differently. */
  const components = new Map()
  let named = new Set()
  const resolve = (value, references) => {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map((item) => resolve(item, references))
    const { $ref, ...members } = value
    const resolved = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, resolve(member, references)]),
    )
    if (typeof $ref !== 'string') return resolved
    named.add($ref)
    const component = references.includes($ref) ? undefined : resolveComponent($ref, references)
    return component === undefined ? value : { ...component, $$ref: $ref, ...resolved }
  }
  const resolveComponent = ($ref, references) => {
    const namedBefore = named
    const isOutside = (names) => references.every((reference) => !names.has(reference))
    let found = components.get($ref)
    if (!found || !isOutside(found.names)) {
      named = new Set()
      found = { component: resolve(find(toNames($ref)), [...references, $ref]), names: named }
      if (isOutside(named)) components.set($ref, found)
    }
    named = new Set([...namedBefore, ...found.names])
    return found.component
  }
  const spec = resolve(find(path), [])
  const [section, name] = path
  const shared = section === 'paths' ? resolve(document.paths[name]?.parameters ?? [], []) : []
  if (shared.length > 0) spec.parameters = [...shared, ...(spec.parameters ?? [])]
  return { spec, errors: [] }
}

function toNames(reference) {
  const names = reference.replace(/^#\//, '').split('/')
  return names.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
}
