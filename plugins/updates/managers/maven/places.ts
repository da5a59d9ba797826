/** Where a POM says versions: of dependencies, of its parent, of plugins and what these need, of extensions. */
import { child, descend, type XmlElement } from "../../text/xml.js";

export interface Place {
  /** With `groupId`, `artifactId` and `version`. */
  readonly element: XmlElement;
  readonly section: string;
  /** Plugins are used without a group. */
  readonly group?: string;
  readonly development: boolean;
  readonly plugin: boolean;
}

const PLUGINS = "org.apache.maven.plugins";

export function placesOf(project: XmlElement): readonly Place[] {
  const parent = child(project, "parent");
  return [
    ...(parent ? [{ element: parent, section: "parent", development: false, plugin: false }] : []),
    ...inModel(project),
    ...descend(project, "profiles", "profile").flatMap(inModel),
  ];
}

function inModel(model: XmlElement): readonly Place[] {
  return [
    ...dependencies(model, "dependencies"),
    ...dependencies(child(model, "dependencyManagement"), "dependencyManagement"),
    ...descend(model, "build", "plugins", "plugin").flatMap(plugin),
    ...descend(model, "build", "pluginManagement", "plugins", "plugin").flatMap(plugin),
    ...descend(model, "reporting", "plugins", "plugin").flatMap(plugin),
    ...extensions(child(model, "build")),
  ];
}

/** Of a build, or of `.mvn/extensions.xml`. */
export const extensions = (build: XmlElement | undefined): readonly Place[] =>
  (build ? [...descend(build, "extensions", "extension"), ...descend(build, "extension")] : []).map(
    (element) => ({ element, section: "extensions", development: true, plugin: true }),
  );

function dependencies(model: XmlElement | undefined, section: string): readonly Place[] {
  if (!model) return [];
  return descend(model, "dependencies", "dependency").flatMap((element) => {
    const scope = child(element, "scope")?.value?.text;
    // A file of the machine's, which no repository has another version of.
    if (scope === "system") return [];
    return [{ element, section, development: scope === "test", plugin: false }];
  });
}

function plugin(element: XmlElement): readonly Place[] {
  const processors = [
    ...descend(element, "configuration", "annotationProcessorPaths", "path"),
    ...descend(
      element,
      "executions",
      "execution",
      "configuration",
      "annotationProcessorPaths",
      "path",
    ),
  ];
  return [
    { element, section: "plugins", group: PLUGINS, development: true, plugin: true },
    ...dependencies(element, "plugins").map((place) => ({ ...place, development: true })),
    ...processors.map((path) => ({
      element: path,
      section: "annotationProcessorPaths",
      development: true,
      plugin: false,
    })),
  ];
}
