import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Holds each file to PDF/UA-1 and prints, one a line, how many tests it passed or what failed. */
public final class PdfUa {
  private static final PDFAFlavour UA = PDFAFlavour.PDFUA_1;
  private static final int SHOWN = 20;

  private PdfUa() {}

  public static void main(String[] files) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    for (String file : files) {
      Path path = Path.of(file);
      try (PDFAParser parser =
              Foundries.defaultInstance().createParser(Files.newInputStream(path), UA);
          PDFAValidator validator = Foundries.defaultInstance().createValidator(UA, false)) {
        report(path.getFileName(), validator.validate(parser));
      }
    }
  }

  private static void report(Path name, ValidationResult result) {
    if (result.isCompliant()) {
      System.out.println(name + ": passed " + result.getTotalAssertions());
      return;
    }
    Set<String> failed = new LinkedHashSet<>();
    for (TestAssertion one : result.getTestAssertions()) {
      if (one.getStatus() == TestAssertion.Status.FAILED) {
        failed.add(one.getRuleId().getClause() + ": " + one.getMessage());
      }
    }
    failed.stream().limit(SHOWN).forEach(each -> System.out.println(name + ": failed " + each));
  }
}
