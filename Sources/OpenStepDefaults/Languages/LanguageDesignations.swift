import DefaultsDomains
import OpenStepPropertyList

/// The words for relative dates and hours in a language: tomorrow, next week, noon.
///
/// Foundation has no data for them, so they are listed here, for languages with undisputed words; other
/// languages have none of these keys, and ambiguous words are left out.
struct LanguageDesignations {
  private let earlier: [String]
  private let later: [String]
  private let today: [String]
  private let tomorrow: [String]
  private let dayAfterTomorrow: [String]
  private let yesterday: [String]
  private let yearMonthWeek: [String]
  private let hours: KeyValuePairs<Int, [String]>

  /// The words under OPENSTEP's keys.
  var values: [PropertyListKey: PropertyList] {
    [
      "NSEarlierTimeDesignations": Self.strings(earlier),
      "NSLaterTimeDesignations": Self.strings(later),
      "NSThisDayDesignations": Self.strings(today),
      "NSNextDayDesignations": Self.strings(tomorrow),
      "NSNextNextDayDesignations": Self.strings(dayAfterTomorrow),
      "NSPriorDayDesignations": Self.strings(yesterday),
      "NSYearMonthWeekDesignations": Self.strings(yearMonthWeek),
      "NSHourNameDesignations": .array(hours.map { Self.strings([String($0.key)] + $0.value) }),
    ]
  }

  private static func strings(_ texts: [String]) -> PropertyList {
    .array(texts.map(PropertyList.string))
  }
}

extension LanguageDesignations {
  /// The words of a language; nil if they are not listed.
  init?(_ language: Language) {
    switch language.code {
    case "cs": self = .czech
    case "da": self = .danish
    case "de": self = .german
    case "en": self = .english
    case "es": self = .spanish
    case "fi": self = .finnish
    case "fr": self = .french
    case "hu": self = .hungarian
    case "it": self = .italian
    case "ja": self = .japanese
    case "ko": self = .korean
    case "nb", "no": self = .norwegian
    case "nl": self = .dutch
    case "nn": self = .nynorsk
    case "pl": self = .polish
    case "pt": self = .portuguese
    case "ru": self = .russian
    case "sk": self = .slovak
    case "sv": self = .swedish
    case "uk": self = .ukrainian
    case "zh":
      self = language.region == "TW" || language.region == "HK" ? .traditionalChinese : .simplifiedChinese
    default: return nil
    }
  }

  private static let czech = LanguageDesignations(
    earlier: ["minulý", "minulá", "minulé", "před"],
    later: ["příští"],
    today: ["dnes"],
    tomorrow: ["zítra"],
    dayAfterTomorrow: ["pozítří"],
    yesterday: ["včera"],
    yearMonthWeek: ["rok", "měsíc", "týden"],
    hours: [0: ["půlnoc"], 12: ["poledne"], 10: ["dopoledne"], 14: ["odpoledne"], 19: ["večer"]])

  private static let danish = LanguageDesignations(
    earlier: ["forrige", "sidste", "siden"],
    later: ["næste"],
    today: ["i dag"],
    tomorrow: ["i morgen"],
    dayAfterTomorrow: ["i overmorgen"],
    yesterday: ["i går"],
    yearMonthWeek: ["år", "måned", "uge"],
    hours: [0: ["midnat"], 12: ["middag"], 10: ["formiddag"], 14: ["eftermiddag"], 19: ["aften"]])

  // "Morgen" would be both the morning and tomorrow.
  private static let german = LanguageDesignations(
    earlier: ["letzten", "letzte", "letztes", "letzter", "vor"],
    later: ["nächsten", "nächste", "nächstes", "nächster"],
    today: ["heute"],
    tomorrow: ["morgen"],
    dayAfterTomorrow: ["übermorgen"],
    yesterday: ["gestern"],
    yearMonthWeek: ["Jahr", "Monat", "Woche"],
    hours: [
      0: ["Mitternacht"], 12: ["Mittag"], 10: ["Vormittag"], 14: ["Nachmittag"], 19: ["Abend"],
    ])

  private static let english = LanguageDesignations(
    earlier: ["prior", "last", "past", "ago"],
    later: ["next"],
    today: ["today"],
    tomorrow: ["tomorrow"],
    dayAfterTomorrow: ["nextday"],
    yesterday: ["yesterday"],
    yearMonthWeek: ["year", "month", "week"],
    hours: [
      0: ["midnight"], 12: ["noon", "lunch"], 10: ["morning"], 14: ["afternoon"], 19: ["dinner"],
    ])

  // "Mañana" means tomorrow first, and then the morning.
  private static let spanish = LanguageDesignations(
    earlier: ["pasado", "pasada", "último", "última", "hace"],
    later: ["próximo", "próxima"],
    today: ["hoy"],
    tomorrow: ["mañana"],
    dayAfterTomorrow: ["pasado mañana"],
    yesterday: ["ayer"],
    yearMonthWeek: ["año", "mes", "semana"],
    hours: [0: ["medianoche"], 12: ["mediodía"], 14: ["tarde"]])

  private static let finnish = LanguageDesignations(
    earlier: ["viime", "sitten"],
    later: ["ensi"],
    today: ["tänään"],
    tomorrow: ["huomenna"],
    dayAfterTomorrow: ["ylihuomenna"],
    yesterday: ["eilen"],
    yearMonthWeek: ["vuosi", "kuukausi", "viikko"],
    hours: [0: ["keskiyö"], 12: ["keskipäivä"], 10: ["aamupäivä"], 14: ["iltapäivä"], 19: ["ilta"]])

  private static let french = LanguageDesignations(
    earlier: ["avant"],
    later: ["après"],
    today: ["Aujourd'hui"],
    tomorrow: ["demain"],
    dayAfterTomorrow: ["après demain"],
    yesterday: ["hier"],
    yearMonthWeek: ["année", "mois", "semaine"],
    hours: [0: ["minuit"], 12: ["midi"], 10: ["matin"], 14: ["après-midi"], 19: ["soir"]])

  private static let hungarian = LanguageDesignations(
    earlier: ["múlt", "előző"],
    later: ["jövő", "következő"],
    today: ["ma"],
    tomorrow: ["holnap"],
    dayAfterTomorrow: ["holnapután"],
    yesterday: ["tegnap"],
    yearMonthWeek: ["év", "hónap", "hét"],
    hours: [0: ["éjfél"], 12: ["dél"], 10: ["délelőtt"], 14: ["délután"], 19: ["este"]])

  private static let italian = LanguageDesignations(
    earlier: ["scorso", "scorsa", "passato", "passata", "fa"],
    later: ["prossimo", "prossima"],
    today: ["oggi"],
    tomorrow: ["domani"],
    dayAfterTomorrow: ["dopodomani"],
    yesterday: ["ieri"],
    yearMonthWeek: ["anno", "mese", "settimana"],
    hours: [0: ["mezzanotte"], 12: ["mezzogiorno"], 10: ["mattina"], 14: ["pomeriggio"], 19: ["sera"]])

  // Here and in Korean and Chinese, the words for the halves of a day are NSAMPMDesignation's.
  private static let japanese = LanguageDesignations(
    earlier: ["前", "先"],
    later: ["次", "来"],
    today: ["今日"],
    tomorrow: ["明日"],
    dayAfterTomorrow: ["明後日"],
    yesterday: ["昨日"],
    yearMonthWeek: ["年", "月", "週"],
    hours: [0: ["真夜中"], 12: ["正午"], 10: ["朝"], 19: ["夜"]])

  private static let korean = LanguageDesignations(
    earlier: ["지난", "전"],
    later: ["다음", "후"],
    today: ["오늘"],
    tomorrow: ["내일"],
    dayAfterTomorrow: ["모레"],
    yesterday: ["어제"],
    yearMonthWeek: ["년", "월", "주"],
    hours: [0: ["자정"], 12: ["정오"], 10: ["아침"], 19: ["저녁"]])

  private static let norwegian = LanguageDesignations(
    earlier: ["forrige", "siste", "siden"],
    later: ["neste"],
    today: ["i dag"],
    tomorrow: ["i morgen"],
    dayAfterTomorrow: ["i overmorgen"],
    yesterday: ["i går"],
    yearMonthWeek: ["år", "måned", "uke"],
    hours: [0: ["midnatt"], 10: ["formiddag"], 14: ["ettermiddag"], 19: ["kveld"]])

  private static let dutch = LanguageDesignations(
    earlier: ["vorige", "vorig", "geleden"],
    later: ["volgende", "volgend"],
    today: ["vandaag"],
    tomorrow: ["morgen"],
    dayAfterTomorrow: ["overmorgen"],
    yesterday: ["gisteren"],
    yearMonthWeek: ["jaar", "maand", "week"],
    hours: [0: ["middernacht"], 10: ["ochtend"], 14: ["namiddag"], 19: ["avond"]])

  private static let nynorsk = LanguageDesignations(
    earlier: ["førre", "sidan"],
    later: ["neste"],
    today: ["i dag"],
    tomorrow: ["i morgon"],
    dayAfterTomorrow: ["i overmorgon"],
    yesterday: ["i går"],
    yearMonthWeek: ["år", "månad", "veke"],
    hours: [0: ["midnatt"], 10: ["formiddag"], 14: ["ettermiddag"], 19: ["kveld"]])

  private static let polish = LanguageDesignations(
    earlier: ["zeszły", "zeszła", "zeszłe", "ubiegły", "ubiegła", "ubiegłe", "temu"],
    later: ["przyszły", "przyszła", "przyszłe", "następny", "następna", "następne"],
    today: ["dzisiaj", "dziś"],
    tomorrow: ["jutro"],
    dayAfterTomorrow: ["pojutrze"],
    yesterday: ["wczoraj"],
    yearMonthWeek: ["rok", "miesiąc", "tydzień"],
    hours: [0: ["północ"], 12: ["południe"], 10: ["rano"], 14: ["popołudnie"], 19: ["wieczór"]])

  private static let portuguese = LanguageDesignations(
    earlier: ["passado", "passada", "último", "última", "atrás"],
    later: ["próximo", "próxima"],
    today: ["hoje"],
    tomorrow: ["amanhã"],
    dayAfterTomorrow: ["depois de amanhã"],
    yesterday: ["ontem"],
    yearMonthWeek: ["ano", "mês", "semana"],
    hours: [0: ["meia-noite"], 12: ["meio-dia"], 10: ["manhã"], 14: ["tarde"]])

  private static let russian = LanguageDesignations(
    earlier: ["прошлый", "прошлая", "прошлое", "назад"],
    later: ["следующий", "следующая", "следующее"],
    today: ["сегодня"],
    tomorrow: ["завтра"],
    dayAfterTomorrow: ["послезавтра"],
    yesterday: ["вчера"],
    yearMonthWeek: ["год", "месяц", "неделя"],
    hours: [0: ["полночь"], 12: ["полдень"], 10: ["утро"], 19: ["вечер"]])

  private static let slovak = LanguageDesignations(
    earlier: ["minulý", "minulá", "minulé", "pred"],
    later: ["budúci", "budúca", "budúce"],
    today: ["dnes"],
    tomorrow: ["zajtra"],
    dayAfterTomorrow: ["pozajtra"],
    yesterday: ["včera"],
    yearMonthWeek: ["rok", "mesiac", "týždeň"],
    hours: [0: ["polnoc"], 12: ["poludnie"], 10: ["dopoludnia"], 14: ["popoludní"], 19: ["večer"]])

  private static let swedish = LanguageDesignations(
    earlier: ["förra", "sedan"],
    later: ["nästa"],
    today: ["i dag", "idag"],
    tomorrow: ["i morgon", "imorgon"],
    dayAfterTomorrow: ["i övermorgon", "övermorgon"],
    yesterday: ["i går", "igår"],
    yearMonthWeek: ["år", "månad", "vecka"],
    hours: [0: ["midnatt"], 10: ["förmiddag"], 14: ["eftermiddag"], 19: ["kväll"]])

  private static let ukrainian = LanguageDesignations(
    earlier: ["минулий", "минула", "минуле", "тому"],
    later: ["наступний", "наступна", "наступне"],
    today: ["сьогодні"],
    tomorrow: ["завтра"],
    dayAfterTomorrow: ["післязавтра"],
    yesterday: ["вчора", "учора"],
    yearMonthWeek: ["рік", "місяць", "тиждень"],
    hours: [0: ["північ"], 12: ["полудень"], 10: ["ранок"], 19: ["вечір"]])

  private static let simplifiedChinese = LanguageDesignations(
    earlier: ["上", "前"],
    later: ["下", "后"],
    today: ["今天"],
    tomorrow: ["明天"],
    dayAfterTomorrow: ["后天"],
    yesterday: ["昨天"],
    yearMonthWeek: ["年", "月", "周"],
    hours: [0: ["午夜"], 12: ["中午", "正午"], 10: ["早上"], 19: ["晚上"]])

  private static let traditionalChinese = LanguageDesignations(
    earlier: ["上", "前"],
    later: ["下", "後"],
    today: ["今天"],
    tomorrow: ["明天"],
    dayAfterTomorrow: ["後天"],
    yesterday: ["昨天"],
    yearMonthWeek: ["年", "月", "週"],
    hours: [0: ["午夜"], 12: ["中午", "正午"], 10: ["早上"], 19: ["晚上"]])
}
