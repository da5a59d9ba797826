import { names, type Specimen, VERSIONS } from "../specimen.js";

export const nuget: Specimen = {
  manager: "nuget",
  files: (count) => ({
    "App.csproj": `<Project>\n  <ItemGroup>\n${names(count)
      .map((name) => `    <PackageReference Include="${name}" Version="1.0.0" />\n`)
      .join("")}  </ItemGroup>\n</Project>\n`,
  }),
  answer: (url) =>
    JSON.stringify(
      url.endsWith("/v3/index.json")
        ? {
            resources: [
              { "@id": "https://nuget.example/r/", "@type": "RegistrationsBaseUrl/3.6.0" },
              { "@id": "https://nuget.example/p/", "@type": "PackageBaseAddress/3.0.0" },
            ],
          }
        : {
            items: [
              {
                ...{ "@id": url, lower: VERSIONS[0], upper: VERSIONS.at(-1) },
                items: VERSIONS.map((version) => ({ catalogEntry: { version } })),
              },
            ],
          },
    ),
};
