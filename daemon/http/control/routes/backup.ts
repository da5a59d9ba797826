import type { FastifyInstance } from "fastify";
import { defaultBackup } from "../../../services/store/backup.js";
import type { BackupRequest, BackupResult } from "../api.js";
import type { RouteContext } from "../route-context.js";
import { answers } from "../schemas/all.js";
import { ref } from "../schemas/make.js";

export function backupRoutes(
  app: FastifyInstance,
  { subjects: { kit, identity } }: RouteContext,
): void {
  app.post<{ Body: BackupRequest }>(
    "/v1/backup",
    {
      schema: {
        operationId: "backup",
        summary: "Copies the state directory to a new directory.",
        body: ref("BackupRequest"),
        response: answers({ 200: "BackupResult", 409: "Problem" }),
      },
    },
    async ({ body }): Promise<BackupResult> => {
      const to = body.to ?? defaultBackup(identity.stateDirectory, kit.clock.now());
      const { files } = await kit.backUp(to, identity.version);
      const bytes = files.reduce((sum, { size }) => sum + size, 0);
      return { to, files: files.length, bytes };
    },
  );
}
